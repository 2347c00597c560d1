package main

import (
	"context"
	"encoding/json"
	"time"
)

type plannersCmd struct {
	serverFlags
	Peer string `arg:"" type:"ident" optional:"" help:"Show the planner of this peer."`
}

// Run lists the planners, or shows one.
func (c *plannersCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	if c.Peer != "" {
		return c.show(ctx, con, client)
	}
	return list{
		path: "planners", header: "PEER GENERATED EXPIRES RESOURCES SLOTS", row: plannerRow,
		none: "none: planners are kept while somebody watches",
	}.print(ctx, client, con, c.Output)
}

func plannerRow(item json.RawMessage) ([]any, error) {
	var p struct {
		PeerID      string    `json:"peer_id"`
		GeneratedAt time.Time `json:"generated_at"`
		ExpiresAt   time.Time `json:"expires_at"`
		Resources   int       `json:"resources"`
		Slots       int       `json:"slots"`
	}
	err := json.Unmarshal(item, &p)
	return []any{p.PeerID, rough(p.GeneratedAt), rough(p.ExpiresAt), p.Resources, p.Slots}, err
}

// show prints the capacities of one peer, and below them what is booked.
func (c *plannersCmd) show(ctx context.Context, con *console, client *client) error {
	body, err := client.get(ctx, client.url(nil, "planners", c.Peer))
	if err != nil {
		return about(err, "peer", c.Peer)
	}
	return printDoc(con.stdout, c.Output, body, (*plannerDoc).print)
}
