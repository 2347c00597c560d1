package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// ExecutionOrder is what shall run on a node.
type ExecutionOrder struct {
	ExecutionID string            `json:"execution_id,omitempty"` // an id runs once only; empty: one is made up
	BookingID   string            `json:"booking_id,omitempty"`
	WorkflowID  string            `json:"workflow_id,omitempty"`
	Command     []string          `json:"command,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	DurationS   float64           `json:"duration_s,omitempty"`
	TimeoutS    float64           `json:"timeout_s,omitempty"`
}

// Execution is what was ordered of a node, and what became of it.
type Execution struct {
	ExecutionID string    `json:"execution_id"`
	NodeID      string    `json:"node_id"`
	BookingID   string    `json:"booking_id,omitempty"`
	WorkflowID  string    `json:"workflow_id,omitempty"`
	RunID       string    `json:"run_id,omitempty"`
	ItemID      string    `json:"item_id,omitempty"` // the step of the run
	Attempt     int       `json:"attempt,omitempty"`
	State       string    `json:"state"` // ordered, queued, starting, running, completed, failed, cancelled
	OrderedAt   time.Time `json:"ordered_at,omitzero"`
	QueuedAt    time.Time `json:"queued_at,omitzero"`
	StartedAt   time.Time `json:"started_at,omitzero"`
	EndedAt     time.Time `json:"ended_at,omitzero"`
	ExitCode    *int      `json:"exit_code,omitempty"`
	Reason      string    `json:"reason,omitempty"`
	Command     []string  `json:"command,omitempty"`
	SentAs      int       `json:"sent_as,omitempty"`
	Event       *Recorded `json:"event,omitempty"`
}

// Recorded is where a node has written down what it tells.
type Recorded struct {
	Ledger   string `json:"ledger,omitempty"`
	Sequence uint64 `json:"sequence,omitempty"`
}

// Final says whether it has ended.
func (e *Execution) Final() bool {
	return e.State == "completed" || e.State == "failed" || e.State == "cancelled"
}

// ExecutionFilter says which executions are listed; the zero value: all.
type ExecutionFilter struct{ Run, Node, State string }

func (f ExecutionFilter) query() url.Values {
	return given("run", f.Run, "node", f.Node, "state", f.State)
}

// RunExecution has a node run something. When the order is InDoubt, it may be repeated with its id: 409 then says that
// it is there.
func (c *Client) RunExecution(ctx context.Context, nodeID string, order ExecutionOrder, options ...CallOption) (*Execution, error) {
	r := request{method: http.MethodPost, path: []string{"nodes", nodeID, "executions"}, body: order, once: true}
	return got[Execution](ctx, c, r, options)
}

// ListExecutions lists what runs or ran, by id.
func (c *Client) ListExecutions(ctx context.Context, f ExecutionFilter, p Page, options ...CallOption) (*List[Execution], error) {
	return got[List[Execution]](ctx, c, request{method: http.MethodGet, path: []string{"executions"}, query: p.in(f.query())}, options)
}

// GetExecution shows an execution.
func (c *Client) GetExecution(ctx context.Context, executionID string, options ...CallOption) (*Execution, error) {
	return got[Execution](ctx, c, request{method: http.MethodGet, path: []string{"executions", executionID}}, options)
}

// CancelExecution has an execution ended; the node says when it has.
func (c *Client) CancelExecution(ctx context.Context, executionID, reason string, options ...CallOption) (*Execution, error) {
	r := request{method: http.MethodPost, path: []string{"executions", executionID, "cancel"}, body: because{reason}}
	return got[Execution](ctx, c, r, options)
}
