package store

import (
	"context"
	"errors"
	"slices"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
)

// ErrPrecondition says that a Condition does not hold.
var ErrPrecondition = errors.New("precondition failed")

// Condition is what must hold of the stored workflow for a write to happen (RFC 9110, section 13.1).
// The zero Condition always holds.
type Condition struct {
	Revisions []uint64 // If-Match: the revision is one of these
	Exists    bool     // If-Match: *
	Absent    bool     // If-None-Match: *
}

func (c Condition) holds(last kv.Message) bool {
	switch {
	case c.Absent && last.Live(), c.Exists && !last.Live():
		return false
	case c.Revisions != nil:
		return last.Live() && slices.Contains(c.Revisions, last.Revision)
	}
	return true
}

// Put stores a workflow on behalf of a client; raw is its JSON, already found valid. It keeps the
// event of what it replaces. created says that there was none. It fails with ErrPrecondition,
// kv.ErrTooLarge and kv.ErrUnavailable.
func (w *Workflows) Put(ctx context.Context, workflowID string, raw []byte, cond Condition) (revision uint64, created bool, err error) {
	revision, err = w.keys.Change(ctx, kv.KeyOf(workflowID), func(last kv.Message) (*kv.Write, error) {
		if !cond.holds(last) {
			return nil, ErrPrecondition
		}
		created = !last.Live()
		return &kv.Write{Data: raw, Header: origin.Of(last.Header).Header()}, nil
	})
	return revision, created, err
}

// Delete removes a workflow on behalf of a client. The tombstone keeps the event of what it
// replaces. It fails with kv.ErrNotFound, ErrPrecondition and kv.ErrUnavailable.
func (w *Workflows) Delete(ctx context.Context, workflowID string, cond Condition) error {
	_, err := w.keys.Change(ctx, kv.KeyOf(workflowID), func(last kv.Message) (*kv.Write, error) {
		switch {
		case !cond.holds(last):
			return nil, ErrPrecondition
		case !last.Live():
			return nil, kv.ErrNotFound
		}
		return tombstone(origin.Of(last.Header)), nil
	})
	return err
}

// Get reads a workflow past the view. It fails with kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
func (w *Workflows) Get(ctx context.Context, workflowID string) (kv.Entry[WorkflowRecord], error) {
	m, err := w.keys.Value(ctx, kv.KeyOf(workflowID))
	if err != nil {
		return kv.Entry[WorkflowRecord]{}, err
	}
	r, err := decodeWorkflow(kv.KeyOf(workflowID), m)
	return kv.Entry[WorkflowRecord]{Value: r, Revision: m.Revision, Stored: m.Stored}, err
}
