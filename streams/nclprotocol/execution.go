package nclprotocol

import (
	"time"

	"oc-scheduler/streams/envelope"
)

// Names of orders, which go to a node, and of events, which come from one.
const (
	TypeBookSlots       = "BookSlots"
	TypeReleaseSlots    = "ReleaseSlots"
	TypeRunExecution    = "RunExecution"
	TypeCancelExecution = "CancelExecution"

	TypeExecutionChanged = "ExecutionChanged"
	TypeBookingChanged   = "BookingChanged"
)

// BookSlots orders a node to keep room. All slots are booked, or none; the node answers with a
// BookingChanged. A booking that it has already stays as it is, unless the order is of a later revision: then its
// slots take the place of those before, and where they find no room those before stay.
type BookSlots struct {
	BookingID string `json:"booking_id"`
	// Revision orders what is told of one booking: whatever comes after a later one has no effect. What was refused
	// may be told again. 0: the booking never changes.
	Revision uint64 `json:"revision,omitempty"`
	// Slots are all that is booked from now on. Those that are over are left out, if any is not.
	Slots []Slot `json:"slots"`
}

// Slot is room on one instance during [Start, End).
type Slot struct {
	ResourceID string    `json:"resource_id"`
	InstanceID string    `json:"instance_id"`
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	Usage      Amounts   `json:"usage,omitempty"` // none: the whole instance; nested ones as cpu_cores.x86_64
}

// ReleaseSlots gives back the room of a booking. A booking that the node does not know is released too.
type ReleaseSlots struct {
	BookingID string `json:"booking_id"`
	Revision  uint64 `json:"revision,omitempty"` // as of which nothing is booked; 0: whatever comes
	Reason    string `json:"reason,omitempty"`
}

// RunExecution orders a node to run something once. An execution that the node knows already is not run
// again, whatever became of it.
type RunExecution struct {
	ExecutionID string            `json:"execution_id"`
	BookingID   string            `json:"booking_id,omitempty"` // in whose slots it runs; empty: in none
	WorkflowID  string            `json:"workflow_id,omitempty"`
	Command     []string          `json:"command,omitempty"` // program and arguments, no shell
	Env         map[string]string `json:"env,omitempty"`
	// Duration is how long an executor that only sleeps does so; one that runs commands ignores it.
	Duration Seconds `json:"duration_s,omitempty"`
	// Timeout is when the node kills it, counted from its start; 0: the node's own limit.
	Timeout Seconds `json:"timeout_s,omitempty"`
}

// CancelExecution ends an execution. One that the node does not know counts as cancelled, and is not run
// if its order comes later; one that has ended stays as it ended.
type CancelExecution struct {
	ExecutionID string `json:"execution_id"`
	Reason      string `json:"reason,omitempty"`
}

// ExecutionState is where an execution stands.
type ExecutionState string

// States of executions. They go forward in this order, and may leave out some; the last three are ends.
const (
	ExecutionQueued    ExecutionState = "queued"   // the node has the order
	ExecutionStarting  ExecutionState = "starting" // it prepares what is needed
	ExecutionRunning   ExecutionState = "running"
	ExecutionCompleted ExecutionState = "completed" // it ended by itself, with exit code 0
	ExecutionFailed    ExecutionState = "failed"    // it could not be run, or ended otherwise
	ExecutionCancelled ExecutionState = "cancelled"
)

// Final says whether an execution in this state has ended.
func (s ExecutionState) Final() bool {
	return s == ExecutionCompleted || s == ExecutionFailed || s == ExecutionCancelled
}

// ExecutionChanged is the event of an execution that came to a state.
type ExecutionChanged struct {
	ExecutionID string         `json:"execution_id"`
	BookingID   string         `json:"booking_id,omitempty"`
	WorkflowID  string         `json:"workflow_id,omitempty"`
	State       ExecutionState `json:"state"`
	At          time.Time      `json:"at"`                  // when it did, by the node's clock
	ExitCode    *int           `json:"exit_code,omitempty"` // nil: not ended, or killed
	Reason      string         `json:"reason,omitempty"`    // why it failed or was cancelled
}

// BookingState is where a node's booking stands.
type BookingState string

// States of bookings.
const (
	BookingBooked   BookingState = "booked"
	BookingRefused  BookingState = "refused" // there is no room, or no such instance
	BookingReleased BookingState = "released"
)

// BookingChanged is the event of a booking that came to a state.
type BookingChanged struct {
	BookingID string       `json:"booking_id"`
	Revision  uint64       `json:"revision,omitempty"` // of the order
	State     BookingState `json:"state"`
	At        time.Time    `json:"at"` // when it did, by the node's clock
	Slots     []Slot       `json:"slots,omitempty"`
	Reason    string       `json:"reason,omitempty"` // why it was refused or released, or why a change of it was refused
}

// RegisterExecution makes orders and events known to a registry.
func RegisterExecution(r *envelope.Registry) error {
	for name, payload := range map[string]any{
		TypeBookSlots:        BookSlots{},
		TypeReleaseSlots:     ReleaseSlots{},
		TypeRunExecution:     RunExecution{},
		TypeCancelExecution:  CancelExecution{},
		TypeExecutionChanged: ExecutionChanged{},
		TypeBookingChanged:   BookingChanged{},
	} {
		if err := r.Register(name, payload); err != nil {
			return err
		}
	}
	return nil
}
