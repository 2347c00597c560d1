package main

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

// howMany is how many occurrences are told of.
type howMany struct {
	Number int `short:"n" name:"number" default:"10" placeholder:"N" help:"How many."`
}

func (n *howMany) query() url.Values { return url.Values{"n": {strconv.Itoa(n.Number)}} }

type nextCmd struct {
	serverFlags
	Schedule string `arg:"" type:"ident" help:"The schedule."`
	howMany  `embed:"" group:"What is listed:"`
}

// Run lists the occurrences of a schedule that come next.
func (c *nextCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	body, err := client.get(ctx, client.url(c.query(), "schedules", c.Schedule, "next"))
	if err != nil {
		return aboutBooking(err, "schedule", c.Schedule)
	}
	items, err := itemsOf(body)
	if err != nil {
		return err
	}
	return list{header: "OCCURRENCE START END STATE", row: comingRow, none: "Nothing comes of it."}.show(con, c.Output, items)
}

// itemsOf are the items of a list that comes whole.
func itemsOf(body []byte) ([]json.RawMessage, error) {
	var all struct {
		Items []json.RawMessage `json:"items"`
	}
	err := json.Unmarshal(body, &all)
	return all.Items, err
}

func comingRow(item json.RawMessage) ([]any, error) {
	var o struct {
		Nominal time.Time `json:"nominal"`
		Start   time.Time `json:"start"`
		End     time.Time `json:"end"`
		State   string    `json:"state"`
	}
	err := json.Unmarshal(item, &o)
	return []any{nominal(o.Nominal), o.Start, o.End, o.State}, err
}
