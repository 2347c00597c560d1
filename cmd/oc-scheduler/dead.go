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
	Limit int `default:"20" help:"How many, the newest first; 1 to 1000."`
}

// Run lists the newest dead letters.
func (c *deadCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	body, err := client.get(ctx, client.url(url.Values{"limit": {strconv.Itoa(c.Limit)}}, "dead"))
	if err != nil {
		return err
	}
	var page struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return err
	}
	return list{header: "AT SUBJECT REASON BYTES DETAIL", row: deadRow, none: "none: all that came could be used"}.show(con, c.Output, page.Items)
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
