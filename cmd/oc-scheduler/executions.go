package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"oc-scheduler/client"
)

// executionDoc is an execution as a replica shows it.
type executionDoc client.Execution

type executionsCmd struct {
	List executionsListCmd `cmd:"" default:"withargs" help:"List what runs or ran, the newest first, or show one execution."`
	Show executionsShowCmd `cmd:"" help:"Show an execution."`
}

type executionsListCmd struct {
	serverFlags
	Execution        string `arg:"" type:"ident" optional:"" help:"Show this one: executions show EXECUTION."`
	soughtExecutions `embed:"" group:"What is listed:"`
	watched          `embed:"" group:"What is listed:"`
}

// soughtExecutions says which executions are listed.
type soughtExecutions struct {
	Node  string `placeholder:"ID" help:"Those of this node."`
	State string `placeholder:"STATE" help:"Those that are ordered, queued, starting, running, completed, failed or cancelled."`
	Of    string `name:"run" placeholder:"ID" help:"Those of this run."`
	Limit int    `short:"n" placeholder:"N" help:"The newest N; without it all."`
}

// AfterApply checks what is no number of things.
func (s *soughtExecutions) AfterApply() error {
	if s.Limit < 0 {
		return errors.New("--limit: must not be below zero")
	}
	return nil
}

// Run lists the executions, or shows one.
func (c *executionsListCmd) Run(ctx context.Context, con *console) error {
	if c.Execution != "" {
		return (&executionsShowCmd{c.serverFlags, c.Execution}).Run(ctx, con)
	}
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return blame(list{
		from: every(func(ctx context.Context, p client.Page, options ...client.CallOption) (*client.List[client.Execution], error) {
			return replica.ListExecutions(ctx, client.ExecutionFilter{Run: c.Of, Node: c.Node, State: c.State}, p, options...)
		}),
		header: "EXECUTION NODE STATE WHAT SINCE TOOK EXIT REASON", row: executionRow,
		sort: newestFirst, most: c.Limit, watched: c.watched,
	}.print(ctx, c.printer(con)))
}

type executionsShowCmd struct {
	serverFlags
	Execution string `arg:"" type:"ident" help:"The execution."`
}

// Run shows an execution.
func (c *executionsShowCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.GetExecution(ctx, c.Execution, client.Into(&was)); err != nil {
		return about(err, "execution", c.Execution)
	}
	return printDoc(c.printer(con), was.Body, (*executionDoc).print)
}

// newestFirst sorts executions by their orders; those that are of one time stay by id.
func newestFirst(items []json.RawMessage) error {
	type dated struct {
		at   time.Time
		item json.RawMessage
	}
	sorted := make([]dated, len(items))
	for i, item := range items {
		var e executionDoc
		if err := json.Unmarshal(item, &e); err != nil {
			return err
		}
		sorted[i] = dated{e.OrderedAt, item}
	}
	slices.SortStableFunc(sorted, func(a, b dated) int { return b.at.Compare(a.at) })
	for i := range sorted {
		items[i] = sorted[i].item
	}
	return nil
}

func executionRow(item json.RawMessage) ([]any, error) {
	var e executionDoc
	err := json.Unmarshal(item, &e)
	return []any{e.ExecutionID, e.NodeID, e.State, brief(e.what()), rough(e.since()), lasting{e.StartedAt, e.EndedAt}, e.exitText(), e.Reason}, err
}

// what is what ran: a step of a workflow, or a command.
func (e *executionDoc) what() string {
	if e.RunID != "" {
		return e.WorkflowID + "/" + e.ItemID
	}
	return strings.Join(e.Command, " ")
}

// since is when it began, or, as long as it has not, was ordered.
func (e *executionDoc) since() time.Time {
	if e.StartedAt.IsZero() {
		return e.OrderedAt
	}
	return e.StartedAt
}

// briefly is how much of a text a list shows.
const briefly = 40

// brief is a text, or its beginning.
func brief(text string) string {
	if runes := []rune(text); len(runes) > briefly {
		return string(runes[:briefly-1]) + "…"
	}
	return text
}

func (e *executionDoc) exitText() string {
	if e.ExitCode == nil {
		return ""
	}
	return fmt.Sprint(*e.ExitCode)
}

// print shows one execution, a line for each thing that is known of it.
func (e *executionDoc) print(w *paper) error {
	t := newTable(w, "")
	for _, line := range []struct {
		name  string
		value any
	}{
		{"execution", e.ExecutionID},
		{"node", e.NodeID},
		{"booking", e.BookingID},
		{"workflow", e.WorkflowID},
		{"run", e.RunID},
		{"step", e.ItemID},
		{"command", strings.Join(e.Command, " ")},
		{"state", e.State},
		{"reason", e.Reason},
		{"exit code", e.exitText()},
		{"ordered", e.OrderedAt},
		{"queued", e.QueuedAt},
		{"started", e.StartedAt},
		{"ended", e.EndedAt},
		{"took", lasting{e.StartedAt, e.EndedAt}},
	} {
		t.row(line.name, line.value)
	}
	return t.flush()
}
