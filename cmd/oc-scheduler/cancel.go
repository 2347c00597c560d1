package main

import (
	"context"
	"fmt"

	"oc-scheduler/client"
)

type cancelCmd struct {
	serverFlags
	Execution string `arg:"" type:"ident" help:"The execution."`
	Reason    string `group:"The cancellation:" placeholder:"TEXT" help:"Why, for the record."`
}

// Run has an execution ended; the node says when it has.
func (c *cancelCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.CancelExecution(ctx, c.Execution, c.Reason, client.Into(&was)); err != nil {
		return about(err, "execution", c.Execution)
	}
	return printDoc(c.printer(con), was.Body, (*executionDoc).printCancelled)
}

// printCancelled tells what became of a cancellation: one that comes after the end changes nothing.
func (e *executionDoc) printCancelled(w *paper) error {
	outcome := "cancellation of " + e.ExecutionID + " is ordered"
	switch e.State {
	case "completed", "failed":
		outcome = e.ExecutionID + " had ended: " + e.State
	case "cancelled":
		outcome = e.ExecutionID + " is cancelled"
	}
	_, err := fmt.Fprintln(w, printable(outcome))
	return err
}
