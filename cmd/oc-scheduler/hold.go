package main

import (
	"context"
	"time"

	"oc-scheduler/client"
)

type holdCmd struct {
	booking
	held `embed:"" group:"What is held:"`
}

type held struct {
	wish
	TTL time.Duration `name:"ttl" default:"5m" placeholder:"TIME" help:"How long, from 1s to 15m, unless it is confirmed before."`
}

// Run takes what is asked for, for a short while.
func (c *holdCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	wish, err := c.doc()
	if err != nil {
		return err
	}
	body, err := c.request(con, struct {
		wishDoc
		TTLS float64 `json:"ttl_s"`
	}{wish, c.TTL.Seconds()}, func(options ...client.CallOption) error {
		_, err := replica.HoldWorkflow(ctx, c.Workflow, client.HoldRequest{}, options...)
		return err
	})
	if err != nil {
		return err
	}
	return printDoc(c.printer(con), body, printHold)
}

// printHold shows a hold, what it takes, and what can be done with it.
func printHold(h *client.Hold, w *paper) error {
	t := newTable(w, "")
	t.row("hold", h.ID)
	t.row("workflow", h.WorkflowID)
	t.row("from", h.Start)
	t.row("until", h.End)
	t.row("expires", h.ExpiresAt)
	if err := t.flush(); err != nil {
		return err
	}
	items := newTable(w, "ITEM PEER RESOURCE INSTANCE FROM UNTIL")
	for _, b := range h.Bookings {
		items.row(b.ItemID, b.PeerID, b.ResourceID, b.InstanceID, b.Start, b.End)
	}
	if err := items.flush(); err != nil {
		return err
	}
	return printLines(w, []string{w.con.command("confirm", h.ID) + " books it; " + w.con.command("schedules", "cancel", h.ID) + " lets it go."})
}
