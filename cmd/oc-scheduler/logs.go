package main

import (
	"context"
	"errors"

	"oc-scheduler/client"
)

type logsCmd struct {
	serverFlags
	Execution string `arg:"" type:"ident" help:"The execution."`
	Follow    bool   `short:"f" group:"The output:" help:"Wait for its start, and for more until it ends."`
	Tail      *int   `short:"n" group:"The output:" placeholder:"N" help:"The last N lines only, and with -f what follows; 0: nothing but that."`
	rawOutput
}

// Run writes the output of an execution, each of the two to where it was written.
func (c *logsCmd) Run(ctx context.Context, con *console) error {
	if c.Tail != nil && *c.Tail < 0 {
		return errors.New("--tail: must not be below 0")
	}
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	which := client.OutputRange{Follow: c.Follow, Tail: c.Tail}
	if _, err := replica.copyOutput(ctx, c.printer(con).output(c.Raw), c.Execution, which); ctx.Err() == nil {
		return about(err, "execution", c.Execution)
	}
	return nil // somebody who watches has seen enough
}
