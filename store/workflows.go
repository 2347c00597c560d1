package store

import (
	"context"
	"fmt"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/workflow"
)

// Workflows is the bucket of what has to run: each value is the workflow's JSON as it came. The
// event it came from stands in its headers, and in those of the tombstone of a removed one, so that
// an old event, delivered again, neither replaces a newer workflow nor brings a removed one back.
type Workflows struct {
	keys  *kv.Keys
	view  *kv.View[WorkflowRecord]
	gone  *kv.Tombstones
	heirs *heirs // of what was removed
}

// WorkflowRecord is a stored workflow.
type WorkflowRecord struct {
	*workflow.Workflow
	Raw   []byte    // the stored value; not to be changed
	After time.Time // when the one before it under its id was removed; zero: there was none
}

func newWorkflows(keys *kv.Keys) *Workflows {
	view := kv.NewView(keys, decodeWorkflow)
	w := &Workflows{keys, view, kv.KeepRemovals(view), &heirs{of: map[string][]string{}}}
	w.gone.OnMarker(w.heirs.note)
	return w
}

func decodeWorkflow(key kv.Key, m kv.Message) (WorkflowRecord, error) {
	r, err := DecodeWorkflow(m.Data)
	if err == nil && r.ID() != key.ID() {
		return WorkflowRecord{}, fmt.Errorf("%w: another workflow stands under this key", kv.ErrUndecodable)
	}
	r.After = afterOf(m.Header)
	return r, err
}

// DecodeWorkflow reads a workflow that was stored somewhere. It fails with kv.ErrUndecodable.
func DecodeWorkflow(raw []byte) (WorkflowRecord, error) {
	w, err := workflow.DecodeStored(raw)
	if err != nil {
		return WorkflowRecord{}, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
	}
	return WorkflowRecord{Workflow: w, Raw: raw}, nil
}

// View is this replica's copy of the workflows.
func (w *Workflows) View() *kv.View[WorkflowRecord] { return w.view }

// Apply stores a workflow that came over the bus; raw is its JSON and wf what it says. It is Stale,
// and nothing is written, when a later event has stored or removed it. An event that is delivered
// again is Stored while its workflow stands. It fails with kv.ErrTooLarge and kv.ErrUnavailable.
func (w *Workflows) Apply(ctx context.Context, raw []byte, wf *workflow.Workflow, src origin.Source) (origin.Outcome, error) {
	return w.event(ctx, wf.ID(), src, func(last kv.Message) *kv.Write {
		return &kv.Write{Data: raw, Header: inLife(src.Header(), last)}
	})
}

// Remove removes a workflow because of an event on the bus, and leaves a tombstone even if there was
// none. Outcomes and errors are those of Apply.
func (w *Workflows) Remove(ctx context.Context, workflowID string, src origin.Source) (origin.Outcome, error) {
	return w.event(ctx, workflowID, src, func(last kv.Message) *kv.Write { return tombstone(workflowID, last, src.Header()) })
}

func (w *Workflows) event(ctx context.Context, workflowID string, src origin.Source, follows func(kv.Message) *kv.Write) (origin.Outcome, error) {
	outcome := origin.Stored
	_, err := w.keys.Change(ctx, kv.KeyOf(workflowID), func(last kv.Message) (*kv.Write, error) {
		outcome = origin.Stored
		stands, next := origin.Of(last.Header), follows(last)
		if src.NewerThan(stands) {
			return next, nil
		}
		if !src.Equal(stands) || next.Marker == last.Live() {
			outcome = origin.Stale
		}
		return nil, nil
	})
	if err != nil {
		return origin.Stale, err
	}
	return outcome, nil
}
