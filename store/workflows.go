package store

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/workflow"
)

// Workflows is the bucket of what has to run: each value is the workflow's JSON as it came. The
// event it came from stands in its headers, and in those of the tombstone of a removed one, so that
// an old event, delivered again, neither replaces a newer workflow nor brings a removed one back.
type Workflows struct {
	bucket *bucket
	view   *View[WorkflowRecord]
	gone   *tombstones
}

// WorkflowRecord is a stored workflow. Its ETag is the revision of its Entry.
type WorkflowRecord struct {
	*workflow.Workflow
	Raw []byte // the stored value; not to be changed
}

func newWorkflows(o opener, b *bucket) *Workflows {
	decode := func(workflowID string, m *nats.Msg) (WorkflowRecord, error) {
		return decodeWorkflow(workflowID, m.Data)
	}
	view := NewView(o.js, b.name, decode, o.viewOptions(b.name)...)
	return &Workflows{b, view, keepRemovals(o, b, view)}
}

func decodeWorkflow(workflowID string, data []byte) (WorkflowRecord, error) {
	w, err := workflow.DecodeStored(data)
	if err != nil {
		return WorkflowRecord{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	if w.ID() != workflowID {
		return WorkflowRecord{}, fmt.Errorf("%w: another workflow stands under this key", ErrUndecodable)
	}
	return WorkflowRecord{w, data}, nil
}

// View is this replica's copy of the workflows.
func (w *Workflows) View() *View[WorkflowRecord] { return w.view }

// Apply stores a workflow that came over the bus; raw is its JSON and wf what it says. It is Stale,
// and nothing is written, when a later event has stored or removed it. An event that is delivered
// again is Stored while its workflow stands. It fails with ErrTooLarge and ErrUnavailable.
func (w *Workflows) Apply(ctx context.Context, raw []byte, wf *workflow.Workflow, src Source) (Outcome, error) {
	return w.event(ctx, wf.ID(), &write{data: raw, source: src})
}

// Remove removes a workflow because of an event on the bus, and leaves a tombstone even if there was
// none. Outcomes and errors are those of Apply.
func (w *Workflows) Remove(ctx context.Context, workflowID string, src Source) (Outcome, error) {
	return w.event(ctx, workflowID, &write{marker: true, source: src})
}

func (w *Workflows) event(ctx context.Context, workflowID string, next *write) (Outcome, error) {
	outcome := Stored
	_, err := w.bucket.change(ctx, workflowID, func(last message) (*write, error) {
		outcome = Stored
		stands := sourceOf(last.Header)
		if next.source.newerThan(stands) {
			return next, nil
		}
		if !next.source.equal(stands) || next.marker == last.live() {
			outcome = Stale
		}
		return nil, nil
	})
	if err != nil {
		return Stale, err
	}
	return outcome, nil
}
