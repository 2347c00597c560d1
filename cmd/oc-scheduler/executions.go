package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// executionDoc is an execution as a replica shows it.
type executionDoc struct {
	ExecutionID string    `json:"execution_id"`
	NodeID      string    `json:"node_id"`
	BookingID   string    `json:"booking_id"`
	WorkflowID  string    `json:"workflow_id"`
	State       string    `json:"state"`
	OrderedAt   time.Time `json:"ordered_at"`
	QueuedAt    time.Time `json:"queued_at"`
	StartedAt   time.Time `json:"started_at"`
	EndedAt     time.Time `json:"ended_at"`
	ExitCode    *int      `json:"exit_code"`
	Reason      string    `json:"reason"`
}

// exit is the exit code of a command that ran an execution to its end: the execution's own, or 1 when
// it has none.
func (e *executionDoc) exit() error {
	switch {
	case e.State == "completed":
		return nil
	case e.ExitCode != nil && *e.ExitCode != 0:
		return &exitError{code: *e.ExitCode}
	}
	return &exitError{exitFailure, fmt.Errorf("execution %s is %s", e.ExecutionID, strings.TrimSuffix(e.State+": "+e.Reason, ": "))}
}

type executionsCmd struct {
	serverFlags
	Execution string `arg:"" optional:"" help:"Show this execution."`
}

// Run lists the executions, or shows one.
func (c *executionsCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	if c.Execution == "" {
		return client.list(ctx, con, c.Output, "executions", "EXECUTION NODE STATE ORDERED ENDED EXIT", executionRow)
	}
	body, err := client.get(ctx, client.url(nil, "executions", c.Execution))
	if err != nil {
		return about(err, "execution", c.Execution)
	}
	return printExecution(con.stdout, c.Output, body)
}

func executionRow(item json.RawMessage) ([]any, error) {
	var e executionDoc
	err := json.Unmarshal(item, &e)
	return []any{e.ExecutionID, e.NodeID, e.State, e.OrderedAt, e.EndedAt, e.exitText()}, err
}

func (e *executionDoc) exitText() string {
	if e.ExitCode == nil {
		return ""
	}
	return fmt.Sprint(*e.ExitCode)
}

// printExecution shows one execution, a line for each thing that is known of it.
func printExecution(w io.Writer, format string, body []byte) error {
	if format == "json" {
		return printJSON(w, json.RawMessage(body))
	}
	var e executionDoc
	if err := json.Unmarshal(body, &e); err != nil {
		return err
	}
	t := newTable(w, "")
	for _, line := range []struct {
		name  string
		value any
	}{
		{"execution", e.ExecutionID},
		{"node", e.NodeID},
		{"booking", e.BookingID},
		{"workflow", e.WorkflowID},
		{"state", e.State},
		{"reason", e.Reason},
		{"exit code", e.exitText()},
		{"ordered", e.OrderedAt},
		{"queued", e.QueuedAt},
		{"started", e.StartedAt},
		{"ended", e.EndedAt},
	} {
		t.row(line.name, line.value)
	}
	return t.flush()
}

type cancelCmd struct {
	serverFlags
	Execution string `arg:"" help:"The execution."`
	Reason    string `placeholder:"TEXT" help:"Why, for the record."`
}

// Run has an execution ended; the node says when it has.
func (c *cancelCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	doc, err := json.Marshal(map[string]string{"reason": c.Reason})
	if err != nil {
		return err
	}
	body, err := client.post(ctx, client.url(nil, "executions", c.Execution, "cancel"), doc)
	if err != nil {
		return about(err, "execution", c.Execution)
	}
	return printExecution(con.stdout, c.Output, body)
}

type logsCmd struct {
	Server    string `default:"http://127.0.0.1:8080" help:"A running replica."`
	Execution string `arg:"" help:"The execution."`
	Follow    bool   `short:"f" help:"Wait for its start, and for more until it ends."`
	Tail      int    `short:"n" placeholder:"N" help:"The last N lines only, and with -f what follows."`
}

// Run writes the output of an execution, each of the two to where it was written.
func (c *logsCmd) Run(ctx context.Context, con *console) error {
	if c.Tail < 0 {
		return errors.New("--tail: a number above zero")
	}
	client, err := serverFlags{Server: c.Server}.client()
	if err != nil {
		return err
	}
	if _, err := client.outputOf(con, c.Execution, c.Follow, c.Tail).copy(ctx); ctx.Err() == nil {
		return about(err, "execution", c.Execution)
	}
	return nil // somebody who watches has seen enough
}
