package booking

import (
	"encoding/json"
	"slices"
	"time"
)

// ExecutionState is where an execution stands.
type ExecutionState string

// States of executions. They go forward in this order, and may leave out some; the last three are ends.
const (
	ExecutionOrdered   ExecutionState = "ordered"  // the scheduler has sent the order, or is about to
	ExecutionQueued    ExecutionState = "queued"   // the node has the order
	ExecutionStarting  ExecutionState = "starting" // it prepares what is needed
	ExecutionRunning   ExecutionState = "running"
	ExecutionCompleted ExecutionState = "completed" // it ended by itself, with exit code 0
	ExecutionFailed    ExecutionState = "failed"    // it could not be run, or ended otherwise
	ExecutionCancelled ExecutionState = "cancelled"
)

var executionStates = []ExecutionState{
	ExecutionOrdered, ExecutionQueued, ExecutionStarting, ExecutionRunning,
	ExecutionCompleted, ExecutionFailed, ExecutionCancelled,
}

// Known says whether this is a state at all.
func (s ExecutionState) Known() bool { return slices.Contains(executionStates, s) }

// Final says whether an execution in this state has ended.
func (s ExecutionState) Final() bool {
	return s == ExecutionCompleted || s == ExecutionFailed || s == ExecutionCancelled
}

// follows says whether an execution in this state may come to s.
func (s ExecutionState) follows(before ExecutionState) bool {
	return !before.Final() && slices.Index(executionStates, s) > slices.Index(executionStates, before)
}

// Execution is what is known of one execution.
type Execution struct {
	ExecutionID string         `json:"execution_id"`
	NodeID      string         `json:"node_id"`
	BookingID   string         `json:"booking_id,omitempty"`
	WorkflowID  string         `json:"workflow_id,omitempty"`
	State       ExecutionState `json:"state"`
	OrderedAt   time.Time      `json:"ordered_at,omitzero"` // by the scheduler's clock; the rest by the node's
	QueuedAt    time.Time      `json:"queued_at,omitzero"`
	StartedAt   time.Time      `json:"started_at,omitzero"`
	EndedAt     time.Time      `json:"ended_at,omitzero"`
	ExitCode    *int           `json:"exit_code,omitempty"`
	Reason      string         `json:"reason,omitempty"`
	Command     []string       `json:"command,omitempty"`
	// Order is what the node is told, kept until it has answered; SentAs is where in the stream of orders
	// it stands, 0 while that is not known.
	Order  json.RawMessage `json:"order,omitempty"`
	SentAs uint64          `json:"sent_as,omitempty"`
	Event  EventRef        `json:"event,omitzero"` // the node's last event that was about it
}

// EventRef names an event of a node's ledger.
type EventRef struct {
	Ledger   string `json:"ledger"`
	Sequence uint64 `json:"sequence"`
}

// ExecutionEvent is what a node tells of an execution.
type ExecutionEvent struct {
	EventRef
	ExecutionID string
	NodeID      string
	BookingID   string
	WorkflowID  string
	State       ExecutionState
	At          time.Time
	ExitCode    *int
	Reason      string
}

// Apply is the execution after an event. An event that was applied before, one of another node, and one
// that does not lead forward change nothing; a first event makes the execution.
func (e Execution) Apply(v ExecutionEvent) (next Execution, changed bool) {
	known := e.ExecutionID != ""
	if known && (e.NodeID != v.NodeID || v.Ledger == e.Event.Ledger && v.Sequence <= e.Event.Sequence) {
		return e, false
	}
	if !known {
		e = Execution{ExecutionID: v.ExecutionID, NodeID: v.NodeID, BookingID: v.BookingID, WorkflowID: v.WorkflowID}
	}
	if !v.State.follows(e.State) {
		return e, false
	}
	e.State, e.Event, e.Order = v.State, v.EventRef, nil
	switch at := v.At.UTC(); {
	case v.State.Final():
		e.EndedAt, e.ExitCode, e.Reason = at, v.ExitCode, v.Reason
	case v.State == ExecutionQueued:
		e.QueuedAt = at
	case e.StartedAt.IsZero():
		e.StartedAt = at
	}
	return e, true
}
