package main

import (
	"context"
	"encoding/json"

	"oc-scheduler/client"
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
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return list{
		from: every(replica.ListPlanners), header: "PEER GENERATED EXPIRES RESOURCES SLOTS", row: plannerRow,
		watched: c.watched, none: "none: planners are kept while somebody watches",
	}.print(ctx, c.printer(con))
}

func plannerRow(item json.RawMessage) ([]any, error) {
	var p client.PlannerSummary
	err := json.Unmarshal(item, &p)
	return []any{p.PeerID, rough(p.GeneratedAt), rough(p.ExpiresAt), p.Resources, p.Slots}, err
}

type plannersShowCmd struct {
	serverFlags
	Peer string `arg:"" type:"ident" help:"The peer."`
}

// Run prints the capacities of one peer, and below them what is booked.
func (c *plannersShowCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.GetPlanner(ctx, c.Peer, client.Into(&was)); err != nil {
		return about(err, "peer", c.Peer)
	}
	return printDoc(c.printer(con), was.Body, (*plannerDoc).print)
}
