package main

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

type deadCmd struct {
	serverFlags
	Limit   int `default:"20" help:"How many, the newest first; 1 to 1000."`
	watched `embed:"" group:"What is listed:"`
}

// Run lists the newest dead letters.
func (c *deadCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	newest := client.url(url.Values{"limit": {strconv.Itoa(c.Limit)}}, "dead")
	return blame(list{
		from: client.whole(newest), watched: c.watched,
		header: "AT SUBJECT REASON BYTES DETAIL", row: deadRow, none: "none: all that came could be used",
	}.print(ctx, client, c.printer(con)))
}

func deadRow(item json.RawMessage) ([]any, error) {
	var l struct {
		At      time.Time `json:"at"`
		Subject string    `json:"subject"`
		Reason  string    `json:"reason"`
		Bytes   int       `json:"bytes"`
		Detail  string    `json:"detail"`
	}
	err := json.Unmarshal(item, &l)
	return []any{rough(l.At), l.Subject, l.Reason, l.Bytes, l.Detail}, err
}
