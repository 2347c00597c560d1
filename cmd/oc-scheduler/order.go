package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"oc-scheduler/client"
)

type runCmd struct {
	serverFlags
	Node    string   `arg:"" type:"ident" help:"The node."`
	Command []string `arg:"" optional:"" help:"Program and arguments, after --; the node says which programs may run."`
	order   `embed:"" group:"The execution:"`
	rawOutput
}

// order is what shall run, besides the command.
type order struct {
	Detach   bool              `short:"d" help:"Print the execution's id, and do not wait for it."`
	ID       string            `name:"id" placeholder:"ID" help:"Its id; an id runs once only. By default one is made up."`
	Booking  string            `placeholder:"ID" help:"The booking in whose slots it runs."`
	Env      map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"A variable that the node allows; repeatable."`
	Duration time.Duration     `placeholder:"TIME" help:"How long a node that only sleeps does so, whatever the command."`
	Timeout  time.Duration     `placeholder:"TIME" help:"When the node kills it, from its start."`
}

// Run has a node run something, and writes its output until it ends; the exit code is the execution's. The
// id is made up here: whatever happens on the way, it can be told.
func (c *runCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return &exitError{exitNotRun, err}
	}
	if c.ID == "" {
		c.ID = "x-" + strings.ToLower(rand.Text()[:16])
	}
	ordered, err := c.send(ctx, replica)
	if err != nil {
		return c.unsent(ctx, con, err)
	}
	p := c.printer(con)
	replica.tellAbsence(ctx, con, c.Node)
	if c.Detach {
		err := printDoc(p, ordered, func(*executionDoc, *paper) error { return printLines(p, []string{c.ID}) })
		if err != nil {
			return c.left(con, err)
		}
		return nil
	}
	end, err := replica.copyOutput(ctx, p.output(c.Raw), c.ID, client.OutputRange{Follow: true})
	switch {
	case ctx.Err() != nil:
		return &exitError{interrupted(ctx), replica.leftBehind(context.WithoutCancel(ctx), c.ID)}
	case err != nil:
		return c.left(con, err)
	}
	return end.exit()
}

func (c *runCmd) send(ctx context.Context, replica *replica) ([]byte, error) {
	var was client.Answer
	_, err := replica.RunExecution(ctx, c.Node, client.ExecutionOrder{
		ExecutionID: c.ID, BookingID: c.Booking, Command: c.Command, Env: c.Env,
		DurationS: c.Duration.Seconds(), TimeoutS: c.Timeout.Seconds(),
	}, client.Into(&was))
	return was.Body, err
}

// unsent is the end of a run whose order was not answered well: it did not run, or that is in doubt.
func (c *runCmd) unsent(ctx context.Context, con *console, err error) error {
	if !client.InDoubt(err) {
		return &exitError{exitNotRun, about(c.blame(err), "node", c.Node)}
	}
	code := exitFailure
	if ctx.Err() != nil {
		code, err = interrupted(ctx), errors.New("interrupted")
	}
	id := printable(c.ID)
	return &exitError{code, fmt.Errorf("%w; whether execution %s was ordered is not known: look with `%s`, or repeat with --id %s, for an id runs once only", err, id, con.command("executions", c.ID), id)}
}

// left is the end of a run that lost sight of an execution that was ordered.
func (c *runCmd) left(con *console, err error) error {
	return &exitError{exitFailure, fmt.Errorf("%w; execution %s goes on: %s, %s", err, printable(c.ID), con.command("logs", "-f", c.ID), con.command("cancel", c.ID))}
}

// blame turns the places of faults in the order into what they came from.
func (c *runCmd) blame(err error) error {
	if p, ok := errors.AsType[*client.Problem](err); ok {
		for i := range p.Errors {
			switch flag := flagOf(p.Errors[i].Path); flag {
			case "--execution-id":
				p.Errors[i].Path = "--id"
			case "--booking-id":
				p.Errors[i].Path = "--booking"
			case "--command":
				p.Errors[i].Path = "command"
			default:
				p.Errors[i].Path = flag
			}
			p.Errors[i].Message = inFlags(p.Errors[i].Message)
		}
	}
	return err
}
