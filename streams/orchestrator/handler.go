package orchestrator

import (
	"context"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// Handler makes effects of events.
type Handler interface {
	// HandleEvents reads and sets in step what consecutive events of one node change: at most 200, with
	// payloads as they are registered. Nothing is stored before it returns. It is called again with the
	// same events, and a fresh step, when the outcome is in doubt or it fails; whatever it does beside step
	// may happen more than once. A panic, an error made by ncl.Permanent, and one of step's that no other
	// try mends set the event aside as a dead letter.
	HandleEvents(ctx context.Context, nodeID string, events []*envelope.Message, step *store.Step) error
}

// Executions is the Handler that keeps what becomes of executions. It does not look at events of other
// kinds.
type Executions struct{}

var _ Handler = Executions{}

// HandleEvents applies the events about executions to the bucket of these.
func (Executions) HandleEvents(ctx context.Context, nodeID string, events []*envelope.Message, step *store.Step) error {
	var ids []string
	for _, m := range events {
		if e, ok := m.Payload.(*nclprotocol.ExecutionChanged); ok {
			if err := checkChange(e); err != nil {
				return ncl.Permanent(err)
			}
			ids = append(ids, e.ExecutionID)
		}
	}
	if err := step.Load(ctx, ids...); err != nil {
		return err
	}
	for _, m := range events {
		e, ok := m.Payload.(*nclprotocol.ExecutionChanged)
		if !ok {
			continue
		}
		stands, err := step.Execution(ctx, e.ExecutionID)
		if err != nil {
			return err
		}
		next, changed := stands.Apply(executionEvent(nodeID, m, e))
		if !changed || stands.ExecutionID == "" && !step.Admit() {
			continue
		}
		if err := step.Set(next); err != nil {
			return err
		}
	}
	return nil
}

func executionEvent(nodeID string, m *envelope.Message, e *nclprotocol.ExecutionChanged) execution.Event {
	return execution.Event{
		EventRef:    execution.EventRef{Ledger: m.Source, Sequence: m.Sequence},
		ExecutionID: e.ExecutionID, NodeID: nodeID, BookingID: e.BookingID, WorkflowID: e.WorkflowID,
		State: execution.State(e.State), At: e.At, StoredAt: m.StoredAt, ExitCode: e.ExitCode, Reason: jet.Line(e.Reason),
	}
}
