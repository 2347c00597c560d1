package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
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

type executionsCmd struct {
	serverFlags
	Execution string `arg:"" type:"ident" optional:"" help:"Show this execution."`
}

// Run lists the executions, or shows one.
func (c *executionsCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	if c.Execution == "" {
		return list{
			path: "executions", header: "EXECUTION NODE STATE ORDERED ENDED EXIT REASON", row: executionRow, sort: newestFirst,
		}.print(ctx, client, con, c.Output)
	}
	body, err := client.get(ctx, client.url(nil, "executions", c.Execution))
	if err != nil {
		return about(err, "execution", c.Execution)
	}
	return printDoc(con.stdout, c.Output, body, (*executionDoc).print)
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
	return []any{e.ExecutionID, e.NodeID, e.State, rough(e.OrderedAt), rough(e.EndedAt), e.exitText(), e.Reason}, err
}

func (e *executionDoc) exitText() string {
	if e.ExitCode == nil {
		return ""
	}
	return fmt.Sprint(*e.ExitCode)
}

// print shows one execution, a line for each thing that is known of it.
func (e *executionDoc) print(w io.Writer) error {
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
