package main

import "context"

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
	client, err := c.client(con)
	if err != nil {
		return err
	}
	wish, err := c.wish.doc()
	if err != nil {
		return err
	}
	body, err := c.request(ctx, con, client, "runs", nil, struct {
		wishDoc
		laterDoc
	}{wish, c.later.doc()})
	if err != nil {
		return err
	}
	if c.Follow {
		f := &follower{p: c.printer(con), client: client, kind: "run", read: readRun, print: func(p *printer, doc []byte) error {
			return printDoc(p, doc, printRun)
		}}
		return f.follow(ctx, body)
	}
	return printDoc(c.printer(con), body, printRun)
}
