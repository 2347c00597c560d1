package main

import (
	"context"
	"encoding/json"
	"strings"

	"oc-scheduler/client"
)

type historyCmd struct {
	serverFlags
	Of      string `arg:"" name:"run" type:"ident" help:"The run."`
	watched `embed:"" group:"What is listed:"`
}

// Run tells what became of a run and its steps, in order.
func (c *historyCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return about(list{
		from: every(func(ctx context.Context, p client.Page, options ...client.CallOption) (*client.List[client.HistoryItem], error) {
			return replica.GetRunHistory(ctx, c.Of, p, options...)
		}),
		header: "AT WHAT FROM TO BY REASON", row: historyRow, watched: c.watched,
	}.print(ctx, c.printer(con)), "run", c.Of)
}

func historyRow(item json.RawMessage) ([]any, error) {
	var it client.HistoryItem
	err := json.Unmarshal(item, &it)
	what := strings.TrimSpace(it.Kind + " " + it.ItemID)
	return []any{it.At, what, it.From, it.To, it.By, it.Reason}, err
}
