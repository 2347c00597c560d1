package execution

import (
	"encoding/json"
	"slices"
	"time"
)

// State is where an execution stands.
type State string

// States of executions. They go forward in this order, and may leave out some; the last three are ends.
const (
	Ordered   State = "ordered"  // the scheduler has sent the order, or is about to
	Queued    State = "queued"   // the node has the order
	Starting  State = "starting" // it prepares what is needed
	Running   State = "running"
	Completed State = "completed" // it ended by itself, with exit code 0
	Failed    State = "failed"    // it could not be run, or ended otherwise
	Cancelled State = "cancelled"
)

var states = []State{Ordered, Queued, Starting, Running, Completed, Failed, Cancelled}

// States are the names of all states, in their order.
func States() []string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = string(s)
	}
	return names
}

// Known says whether this is a state at all.
func (s State) Known() bool { return slices.Contains(states, s) }

// Final says whether an execution in this state has ended.
func (s State) Final() bool { return s == Completed || s == Failed || s == Cancelled }

// Follows says whether an execution may come from a state to this one; "" is before the first.
func (s State) Follows(before State) bool {
	return !before.Final() && slices.Index(states, s) > slices.Index(states, before)
}

// Execution is what is known of one execution.
type Execution struct {
	ExecutionID string `json:"execution_id"`
	NodeID      string `json:"node_id"`
	BookingID   string `json:"booking_id,omitempty"`
	WorkflowID  string `json:"workflow_id,omitempty"`
	Of
	State     State     `json:"state"`
	OrderedAt time.Time `json:"ordered_at,omitzero"` // by the scheduler's clock; the rest by the node's
	QueuedAt  time.Time `json:"queued_at,omitzero"`
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	ExitCode  *int      `json:"exit_code,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Command   []string  `json:"command,omitempty"`
	// Order is what the node is told, kept until it has answered; SentAs is where in the stream of orders
	// it stands, 0 while that is not known.
	Order  json.RawMessage `json:"order,omitempty"`
	SentAs uint64          `json:"sent_as,omitempty"`
	Event  EventRef        `json:"event,omitzero"` // the node's last event that was about it
	// Ahead is how far NATS's clock is ahead of the node's, at most: the least that lay between an event, by the
	// node's clock, and its being stored, by NATS's. OverAt is by NATS's clock since when it is over for certain:
	// however late the node's word came, it is not later than what the node says it took.
	Ahead  time.Duration `json:"ahead,omitempty"`
	OverAt time.Time     `json:"over_at,omitzero"`
}

// EventRef names an event of a node's ledger.
type EventRef struct {
	Ledger   string `json:"ledger"`
	Sequence uint64 `json:"sequence"`
}

// Event is what a node tells of an execution.
type Event struct {
	EventRef
	ExecutionID string
	NodeID      string
	BookingID   string
	WorkflowID  string
	State       State
	At          time.Time // by the node's clock
	StoredAt    time.Time // by NATS's; zero: not known
	ExitCode    *int
	Reason      string
}

// Apply is the execution after an event. An event that was applied before, one of another node, and one
// that does not lead forward change nothing; a first event makes the execution.
func (e Execution) Apply(v Event) (next Execution, changed bool) {
	known := e.ExecutionID != ""
	if known && (e.NodeID != v.NodeID || v.Ledger == e.Event.Ledger && v.Sequence <= e.Event.Sequence) {
		return e, false
	}
	if !known {
		e = Execution{ExecutionID: v.ExecutionID, NodeID: v.NodeID, BookingID: v.BookingID, WorkflowID: v.WorkflowID}
	}
	if !v.State.Follows(e.State) {
		return e, false
	}
	e.State, e.Event, e.Order = v.State, v.EventRef, nil
	e.setClock(v)
	switch at := v.At.UTC(); {
	case v.State.Final():
		e.EndedAt, e.ExitCode, e.Reason = at, v.ExitCode, v.Reason
	case v.State == Queued:
		e.QueuedAt = at
	case e.StartedAt.IsZero():
		e.StartedAt = at
	}
	return e, true
}

// setClock notes what an event tells of the node's clock, and by that since when the execution is over. A node
// whose clock was set back meanwhile has ended something before it was ordered: then it is over when it says so.
func (e *Execution) setClock(v Event) {
	if v.StoredAt.IsZero() {
		return
	}
	if ahead := v.StoredAt.Sub(v.At); e.Ahead == 0 || ahead < e.Ahead {
		e.Ahead = ahead
	}
	if !v.State.Final() {
		return
	}
	if e.OverAt = v.At.Add(e.Ahead).UTC(); e.OverAt.Before(e.OrderedAt) {
		e.OverAt = v.StoredAt.UTC()
	}
}
