package main

import (
	"context"
	"encoding/json"
	"strings"

	runs "oc-scheduler/store/run"
)

type historyCmd struct {
	serverFlags
	Of      string `arg:"" name:"run" type:"ident" help:"The run."`
	watched `embed:"" group:"What is listed:"`
}

// Run tells what became of a run and its steps, in order.
func (c *historyCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	return about(list{
		path: "runs", below: []string{c.Of, "history"}, header: "AT WHAT FROM TO BY REASON", row: historyRow, watched: c.watched,
	}.print(ctx, client, c.printer(con)), "run", c.Of)
}

func historyRow(item json.RawMessage) ([]any, error) {
	var it runs.Item
	err := json.Unmarshal(item, &it)
	what := strings.TrimSpace(string(it.Kind) + " " + it.ItemID)
	return []any{it.At, what, it.From, it.To, it.By, it.Reason}, err
}
