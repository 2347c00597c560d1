package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

type runCmd struct {
	replicaFlag
	Node    string   `arg:"" help:"The node."`
	Command []string `arg:"" optional:"" passthrough:"" help:"Program and arguments, after --; the node says which programs may run."`
	order   `embed:"" group:"The execution:"`
}

// order is what shall run, besides the command.
type order struct {
	Detach   bool              `short:"d" help:"Print the execution's id, and do not wait for it."`
	ID       string            `name:"id" placeholder:"ID" help:"Its id; an id runs once only. By default one is made up."`
	Booking  string            `placeholder:"ID" help:"The booking in whose slots it runs."`
	Env      map[string]string `placeholder:"NAME=VALUE" help:"A variable that the node allows; repeatable."`
	Duration time.Duration     `placeholder:"TIME" help:"How long a node that only sleeps does so, whatever the command."`
	Timeout  time.Duration     `placeholder:"TIME" help:"When the node kills it, from its start."`
}

// Run has a node run something, and writes its output until it ends; the exit code is the execution's, or
// exitNotRun.
func (c *runCmd) Run(ctx context.Context, con *console) error {
	err := c.run(ctx, con)
	if _, coded := errors.AsType[*exitError](err); err == nil || coded {
		return err
	}
	return &exitError{exitNotRun, err}
}

func (c *runCmd) run(ctx context.Context, con *console) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	e, err := c.send(ctx, client)
	if err != nil {
		return about(err, "node", c.Node)
	}
	client.tellAbsence(ctx, con, c.Node)
	if c.Detach {
		_, err := fmt.Fprintln(con.stdout, printable(e.ExecutionID))
		return err
	}
	end, err := client.outputOf(con, e.ExecutionID, true, 0).copy(ctx)
	switch {
	case ctx.Err() != nil:
		return client.interrupted(context.WithoutCancel(ctx), e.ExecutionID)
	case err != nil:
		return err
	}
	return end.exit()
}

func (c *runCmd) send(ctx context.Context, client *client) (e executionDoc, err error) {
	command := c.Command
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	doc, err := json.Marshal(struct {
		ID       string            `json:"execution_id,omitempty"`
		Booking  string            `json:"booking_id,omitempty"`
		Command  []string          `json:"command,omitempty"`
		Env      map[string]string `json:"env,omitempty"`
		Duration float64           `json:"duration_s,omitempty"`
		Timeout  float64           `json:"timeout_s,omitempty"`
	}{c.ID, c.Booking, command, c.Env, c.Duration.Seconds(), c.Timeout.Seconds()})
	if err != nil {
		return e, err
	}
	body, err := client.post(ctx, client.url(nil, "nodes", c.Node, "executions"), doc)
	if err != nil {
		return e, c.blame(err)
	}
	return e, json.Unmarshal(body, &e)
}

// blame turns the places of faults in the order into what they came from.
func (c *runCmd) blame(err error) error {
	if p, ok := errors.AsType[*problem](err); ok {
		for i := range p.Errors {
			switch flag := flagOf(p.Errors[i].Path); flag {
			case "--execution-id":
				p.Errors[i].Path = "--id"
			case "--booking-id":
				p.Errors[i].Path = "--booking"
			case "--timeout-s":
				p.Errors[i].Path = "--timeout"
			case "--command":
				p.Errors[i].Path = "command"
			default:
				p.Errors[i].Path = flag
			}
		}
	}
	return err
}
