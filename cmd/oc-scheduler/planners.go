package main

import (
	"context"
	"encoding/json"
	"time"
)

type plannersCmd struct {
	List plannersListCmd `cmd:"" default:"withargs" help:"List the planners that a replica knows, or show one peer's."`
	Show plannersShowCmd `cmd:"" help:"Show the planner of a peer."`
}

type plannersListCmd struct {
	serverFlags
	Peer    string `arg:"" type:"ident" optional:"" help:"Show this one: planners show PEER."`
	watched `embed:"" group:"What is listed:"`
}

// Run lists the planners, or shows one.
func (c *plannersListCmd) Run(ctx context.Context, con *console) error {
	if c.Peer != "" {
		return (&plannersShowCmd{c.serverFlags, c.Peer}).Run(ctx, con)
	}
	client, err := c.client(con)
	if err != nil {
		return err
	}
	return list{
		path: "planners", header: "PEER GENERATED EXPIRES RESOURCES SLOTS", row: plannerRow,
		watched: c.watched, none: "none: planners are kept while somebody watches",
	}.print(ctx, client, c.printer(con))
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

type plannersShowCmd struct {
	serverFlags
	Peer string `arg:"" type:"ident" help:"The peer."`
}

// Run prints the capacities of one peer, and below them what is booked.
func (c *plannersShowCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	body, err := client.get(ctx, client.url(nil, "planners", c.Peer))
	if err != nil {
		return about(err, "peer", c.Peer)
	}
	return printDoc(c.printer(con), body, (*plannerDoc).print)
}
