package store

import (
	"context"
	"slices"
)

// Condition is what must hold of the stored workflow for a write to happen (RFC 9110, section 13.1).
// The zero Condition always holds.
type Condition struct {
	Revisions []uint64 // If-Match: the revision is one of these
	Exists    bool     // If-Match: *
	Absent    bool     // If-None-Match: *
}

func (c Condition) holds(last message) bool {
	switch {
	case c.Absent && last.live(), c.Exists && !last.live():
		return false
	case c.Revisions != nil:
		return last.live() && slices.Contains(c.Revisions, last.Revision)
	}
	return true
}

// Put stores a workflow on behalf of a client; raw is its JSON, already found valid. It keeps the
// event of what it replaces. created says that there was none. It fails with ErrPrecondition,
// ErrTooLarge and ErrUnavailable.
func (w *Workflows) Put(ctx context.Context, workflowID string, raw []byte, cond Condition) (revision uint64, created bool, err error) {
	revision, err = w.bucket.change(ctx, workflowID, func(last message) (*write, error) {
		if !cond.holds(last) {
			return nil, ErrPrecondition
		}
		created = !last.live()
		return &write{data: raw, source: sourceOf(last.Header)}, nil
	})
	return revision, created, err
}

// Delete removes a workflow on behalf of a client. The tombstone keeps the event of what it
// replaces. It fails with ErrNotFound, ErrPrecondition and ErrUnavailable.
func (w *Workflows) Delete(ctx context.Context, workflowID string, cond Condition) error {
	_, err := w.bucket.change(ctx, workflowID, func(last message) (*write, error) {
		switch {
		case !cond.holds(last):
			return nil, ErrPrecondition
		case !last.live():
			return nil, ErrNotFound
		}
		return &write{marker: true, source: sourceOf(last.Header)}, nil
	})
	return err
}

// Get reads a workflow past the view. It fails with ErrNotFound, ErrUndecodable or ErrUnavailable.
func (w *Workflows) Get(ctx context.Context, workflowID string) (Entry[WorkflowRecord], error) {
	m, err := w.bucket.value(ctx, workflowID)
	if err != nil {
		return Entry[WorkflowRecord]{}, err
	}
	r, err := decodeWorkflow(workflowID, m.Data)
	return Entry[WorkflowRecord]{r, m.Revision, m.Stored}, err
}
