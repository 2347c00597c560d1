package ledger

import (
	"encoding/json"
	"fmt"

	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// Execution is what the ledger knows of an execution.
type Execution struct {
	nclprotocol.ExecutionChanged
	Order *nclprotocol.RunExecution `json:"order,omitempty"` // until it ends
	Seq   uint64                    `json:"seq"`             // of its first event
}

// typeSnapshot is an event that repeats a part of the state; the rest are named like their messages.
const typeSnapshot = "Snapshot"

// state is the fold over the events.
type state struct {
	bookings   map[string]nclprotocol.BookingChanged
	executions map[string]Execution
	partial    *state // of a snapshot that is being read
}

func newState() *state {
	return &state{bookings: map[string]nclprotocol.BookingChanged{}, executions: map[string]Execution{}}
}

// apply takes in an event. bookings says whether they changed.
func (s *state) apply(e watcher.Event) (bookings bool, err error) {
	switch e.ObjectType {
	case nclprotocol.TypeBookingChanged:
		return true, fold(e, s.booking)
	case nclprotocol.TypeRunExecution:
		return false, fold(e, func(order nclprotocol.RunExecution) { s.accepted(e, order) })
	case nclprotocol.TypeExecutionChanged:
		return false, fold(e, func(c nclprotocol.ExecutionChanged) { s.execution(e, c) })
	case typeSnapshot:
		return false, fold(e, s.snapshot)
	}
	return false, nil // of a later version; it is no part of this state
}

func fold[T any](e watcher.Event, take func(T)) error {
	var object T
	if err := json.Unmarshal(e.Object, &object); err != nil {
		return fmt.Errorf("event %d, a %s: %w", e.SeqNum, e.ObjectType, err)
	}
	take(object)
	return nil
}

func (s *state) booking(b nclprotocol.BookingChanged) { s.bookings[b.BookingID] = b }

func (s *state) accepted(e watcher.Event, order nclprotocol.RunExecution) {
	s.executions[order.ExecutionID] = Execution{ExecutionChanged: Queued(e, order), Order: &order, Seq: e.SeqNum}
}

// Queued is what the event of an accepted order says to others.
func Queued(e watcher.Event, order nclprotocol.RunExecution) nclprotocol.ExecutionChanged {
	return nclprotocol.ExecutionChanged{
		ExecutionID: order.ExecutionID, BookingID: order.BookingID, WorkflowID: order.WorkflowID,
		State: nclprotocol.ExecutionQueued, At: e.Timestamp,
	}
}

func (s *state) execution(e watcher.Event, c nclprotocol.ExecutionChanged) {
	x := s.executions[c.ExecutionID]
	x.ExecutionChanged = c
	if x.Seq == 0 {
		x.Seq = e.SeqNum
	}
	if c.State.Final() {
		x.Order = nil
	}
	s.executions[c.ExecutionID] = x
}
