package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// RunRequest is what shall be booked once, and run.
type RunRequest struct {
	CheckRequest
	TimeZone     string            `json:"time_zone,omitempty"`
	Gap          string            `json:"gap,omitempty"`
	Ambiguity    string            `json:"ambiguity,omitempty"`
	AllOrNothing bool              `json:"all_or_nothing,omitempty"`
	CatchUpS     *float64          `json:"catch_up_s,omitempty"`
	Preemptible  bool              `json:"preemptible,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	WaitS        float64           `json:"wait_s,omitempty"`
}

// Run is an occurrence that runs, ran, or is about to.
type Run struct {
	ID         string            `json:"id"`
	WorkflowID string            `json:"workflow_id"`
	ScheduleID string            `json:"schedule_id"`
	Nominal    time.Time         `json:"nominal"`
	Start      time.Time         `json:"start"` // as booked
	End        time.Time         `json:"end"`
	State      string            `json:"state"` // scheduled, starting, running, completed, failed, cancelled, missed
	Reason     string            `json:"reason"`
	CreatedAt  time.Time         `json:"created_at"`
	StartedAt  time.Time         `json:"started_at,omitzero"` // zero: not yet
	EndedAt    time.Time         `json:"ended_at,omitzero"`
	LateS      *float64          `json:"late_s"`
	Labels     map[string]string `json:"labels"`
	Steps      []RunStep         `json:"steps,omitempty"` // not in lists
}

// Final says whether it has ended.
func (r *Run) Final() bool {
	switch r.State {
	case "completed", "failed", "cancelled", "missed":
		return true
	}
	return false
}

// RunStep is a step of a run.
type RunStep struct {
	ItemID     string         `json:"item_id"`
	State      string         `json:"state"` // waiting, running, completed, failed, cancelled
	Start      time.Time      `json:"start"` // as planned
	End        time.Time      `json:"end"`
	StartedAt  time.Time      `json:"started_at,omitzero"`
	EndedAt    time.Time      `json:"ended_at,omitzero"`
	Reason     string         `json:"reason"`
	Executions []RunExecution `json:"executions"`
}

// RunExecution is one try of a step.
type RunExecution struct {
	ExecutionID string `json:"execution_id"`
	NodeID      string `json:"node_id"`
	Attempt     int    `json:"attempt"`
	State       string `json:"state"`
	ExitCode    *int   `json:"exit_code"`
}

// HistoryItem is that something came from one state to another.
type HistoryItem struct {
	Seq    uint64    `json:"seq"`
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"`              // run, step; of a schedule's events: schedule, occurrence
	ItemID string    `json:"item_id,omitempty"` // of the step; of an occurrence its nominal time
	From   string    `json:"from"`
	To     string    `json:"to"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
}

// RunFilter says which runs are listed; the zero value: all.
type RunFilter struct {
	Workflow, Schedule, State string
	From, To                  time.Time // of the booked start
}

func (f RunFilter) query() url.Values {
	return given("workflow", f.Workflow, "schedule", f.Schedule, "state", f.State, "from", text(f.From), "to", text(f.To))
}

func text(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// StartRun books a workflow once, and has it run. It is refused as BookSchedule is.
func (c *Client) StartRun(ctx context.Context, workflowID string, wish RunRequest, options ...CallOption) (*Run, error) {
	return got[Run](ctx, c, request{method: http.MethodPost, path: []string{"oc", workflowID, "runs"}, body: wish}, options)
}

// ListRuns lists the runs, the oldest first.
func (c *Client) ListRuns(ctx context.Context, f RunFilter, p Page, options ...CallOption) (*List[Run], error) {
	return got[List[Run]](ctx, c, request{method: http.MethodGet, path: []string{"runs"}, query: p.in(f.query())}, options)
}

// GetRun shows a run with its steps.
func (c *Client) GetRun(ctx context.Context, runID string, options ...CallOption) (*Run, error) {
	return got[Run](ctx, c, request{method: http.MethodGet, path: []string{"runs", runID}}, options)
}

// GetRunHistory tells what became of a run and its steps, in order.
func (c *Client) GetRunHistory(ctx context.Context, runID string, p Page, options ...CallOption) (*List[HistoryItem], error) {
	return got[List[HistoryItem]](ctx, c, request{method: http.MethodGet, path: []string{"runs", runID, "history"}, query: p.in(nil)}, options)
}

// FollowRun yields how a run stands, and then each change of it and its steps, until it has ended.
func (c *Client) FollowRun(ctx context.Context, runID string, options ...CallOption) iter.Seq2[Event[Run], error] {
	return follow[Run](ctx, c, request{path: []string{"runs", runID, "events"}}, options)
}

// CancelRun has a run end; it has ended when its nodes say so.
func (c *Client) CancelRun(ctx context.Context, runID, reason string, options ...CallOption) (*Run, error) {
	return got[Run](ctx, c, request{method: http.MethodPost, path: []string{"runs", runID, "cancel"}, body: because{reason}}, options)
}

// because is why something is ended.
type because struct {
	Reason string `json:"reason"`
}
