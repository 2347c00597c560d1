package main

import (
	"context"
	"encoding/json"
	"strconv"

	"oc-scheduler/client"
)

type deadCmd struct {
	serverFlags
	Limit   int `default:"20" help:"How many, the newest first; 1 to 1000."`
	watched `embed:"" group:"What is listed:"`
}

// Run lists the newest dead letters.
func (c *deadCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	newest := whole(func(ctx context.Context, into client.CallOption) error {
		_, err := replica.ListDead(ctx, client.Page{}, client.Query("limit", strconv.Itoa(c.Limit)), into)
		return err
	})
	return blame(list{
		from: newest, watched: c.watched,
		header: "AT SUBJECT REASON BYTES DETAIL", row: deadRow, none: "none: all that came could be used",
	}.print(ctx, c.printer(con)))
}

func deadRow(item json.RawMessage) ([]any, error) {
	var l client.DeadLetter
	err := json.Unmarshal(item, &l)
	return []any{rough(l.At), l.Subject, l.Reason, l.Bytes, l.Detail}, err
}
