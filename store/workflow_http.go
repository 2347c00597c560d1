package store

import (
	"context"
	"errors"
	"slices"

	"oc-scheduler/store/access"
	"oc-scheduler/store/digest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/workflow"
)

// ErrPrecondition says that a Condition does not hold.
var ErrPrecondition = errors.New("precondition failed")

// Condition is what must hold of the stored workflow for a write to happen (RFC 9110, section 13.1).
// The zero Condition always holds.
type Condition struct {
	Contents []digest.Digest // If-Match: what stands is one of these
	Exists   bool            // If-Match: *
	Absent   bool            // If-None-Match: *
}

func (c Condition) holds(last kv.Message) bool {
	switch {
	case c.Absent && last.Live(), c.Exists && !last.Live():
		return false
	case c.Contents != nil:
		return last.Live() && slices.Contains(c.Contents, digest.Of(last.Data))
	}
	return true
}

// Author is on whose behalf a workflow is written, and to which groups it shall belong.
type Author struct {
	*access.Subject
	Groups []string
	Keep   bool // one that stands keeps its own
}

// sees says whether what stands, or else stood there last, is there for the author. Of what cannot be read nobody
// knows the groups.
func (a Author) sees(workflowID string, last kv.Message) (groups []string, sees bool) {
	groups, err := groupsOf(workflowID, last)
	if err != nil {
		return nil, a.Everywhere()
	}
	return groups, a.Sees(groups)
}

// Put stores a workflow on behalf of a client; raw is its JSON, already found valid. It keeps the
// event of what it replaces. created says that there was none; stored is the JSON with its groups. It fails
// with kv.ErrNotFound where one stands, or stood last, that the author does not see, with ErrPrecondition, kv.ErrTooLarge and
// kv.ErrUnavailable.
func (w *Workflows) Put(ctx context.Context, workflowID string, raw []byte, by Author, cond Condition) (revision uint64, stored []byte, created bool, err error) {
	revision, err = w.keys.Change(ctx, kv.KeyOf(workflowID), func(last kv.Message) (*kv.Write, error) {
		groups, sees := by.sees(workflowID, last)
		switch {
		case !sees:
			return nil, kv.ErrNotFound
		case !cond.holds(last):
			return nil, ErrPrecondition
		}
		if created = !last.Live(); created || !by.Keep {
			groups = by.Groups
		}
		if stored, err = workflow.WithGroups(raw, groups); err != nil {
			return nil, err
		}
		return &kv.Write{Data: stored, Header: inLife(origin.Of(last.Header).Header(), last)}, nil
	})
	return revision, stored, created, err
}

// Delete removes a workflow on behalf of a client. The tombstone keeps the event of what it
// replaces. One that the client does not see is none. It fails with kv.ErrNotFound, ErrPrecondition and
// kv.ErrUnavailable.
func (w *Workflows) Delete(ctx context.Context, workflowID string, by *access.Subject, cond Condition) error {
	_, err := w.keys.Change(ctx, kv.KeyOf(workflowID), func(last kv.Message) (*kv.Write, error) {
		if _, sees := (Author{Subject: by}).sees(workflowID, last); !sees {
			last = kv.Message{} // to him there is none, whatever he asks
		}
		switch {
		case !cond.holds(last):
			return nil, ErrPrecondition
		case !last.Live():
			return nil, kv.ErrNotFound
		}
		return tombstone(workflowID, last, origin.Of(last.Header).Header()), nil
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
