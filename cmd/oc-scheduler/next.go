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
	watched  `embed:"" group:"What is listed:"`
}

// Run lists the occurrences of a schedule that come next.
func (c *nextCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	return aboutBooking(list{
		from: client.whole(client.url(c.query(), "schedules", c.Schedule, "next")), watched: c.watched,
		header: "OCCURRENCE START END STATE", row: comingRow, none: "Nothing comes of it.",
	}.print(ctx, client, c.printer(con)), "schedule", c.Schedule)
}

// whole reads the items of a list that comes whole.
func (c *client) whole(u *url.URL) func(context.Context) ([]json.RawMessage, error) {
	return func(ctx context.Context) ([]json.RawMessage, error) {
		body, err := c.get(ctx, u)
		if err != nil {
			return nil, err
		}
		return itemsOf(body)
	}
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
