package main

import (
	"context"

	"oc-scheduler/client"
)

type startCmd struct {
	booking
	begun  `embed:"" group:"What is booked:"`
	Follow bool `short:"f" group:"What is booked:" help:"Follow the run until it is over: its steps, how they keep to the plan, and what those print that fail. Ctrl-C ends the following, not the run. Exits with 4 when it did not complete."`
}

// begun is a wish for one run.
type begun struct {
	wish
	later
}

// Run books a workflow and has it run, or prints what stands against it. The exit code tells which.
func (c *startCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	wish, err := c.wish.doc()
	if err != nil {
		return err
	}
	body, err := c.request(con, struct {
		wishDoc
		laterDoc
	}{wish, c.later.doc()}, func(options ...client.CallOption) error {
		_, err := replica.StartRun(ctx, c.Workflow, client.RunRequest{}, options...)
		return err
	})
	if err != nil {
		return c.doubt(con, err)
	}
	if c.Follow {
		f := &follower{p: c.printer(con), replica: replica, followed: ofRun(replica)}
		return f.follow(ctx, body)
	}
	return printDoc(c.printer(con), body, printRun)
}
