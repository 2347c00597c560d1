package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/synadia-io/orbit.go/jetstreamext"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/id"
)

// ErrOvertaken says that somebody else has changed what a Step was to change. Nothing of it was stored.
var ErrOvertaken = errors.New("overtaken by another writer")

// maxStep is how many executions one Step may change: with the cursor they are one atomic batch, of
// 1000 messages at most.
const maxStep = 999

// Step moves a node's cursor on, and changes executions with it: all or nothing. It belongs to one
// goroutine.
type Step struct {
	x        *Executions
	nodeID   string
	revision uint64 // of the cursor
	read     map[string]*stepped
	order    []string // of the changed ones
}

// stepped is an execution as it was read, and as it is to be.
type stepped struct {
	revision uint64
	value    booking.Execution
	changed  bool
}

// NewStep begins a step from a cursor of that revision.
func (x *Executions) NewStep(nodeID string, revision uint64) *Step {
	return &Step{x: x, nodeID: nodeID, revision: revision, read: map[string]*stepped{}}
}

// Load reads executions in one request, for Execution to find. It fails with id.ErrInvalid or
// ErrUnavailable.
func (s *Step) Load(ctx context.Context, executionIDs ...string) error {
	fresh := map[string]*stepped{}
	var subjects []string
	for _, of := range executionIDs {
		subject, err := s.x.bucket.subject(of)
		if err != nil {
			return err
		}
		if s.read[of] == nil && fresh[of] == nil {
			fresh[of] = &stepped{}
			subjects = append(subjects, subject)
		}
	}
	maps.Copy(s.read, fresh)
	for part := range slices.Chunk(subjects, batchMessages) {
		if err := s.load(ctx, part); err != nil {
			s.read = map[string]*stepped{}
			return err
		}
	}
	return nil
}

func (s *Step) load(ctx context.Context, subjects []string) error {
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	found, err := jetstreamext.GetLastMsgsFor(attempt, s.x.bucket.js, streamName(s.x.bucket.name), subjects)
	if err != nil {
		return classify(ctx, err)
	}
	for m, err := range found {
		switch {
		case errors.Is(err, jetstreamext.ErrNoMessages):
			return nil
		case err != nil:
			return classify(ctx, err)
		}
		of, err := id.FromKey(strings.TrimPrefix(m.Subject, s.x.bucket.prefix))
		if err != nil {
			return err
		}
		t := &stepped{revision: m.Sequence}
		if !isMarker(m.Header) {
			t.value, err = decodeExecution(m.Data) // a broken one counts as none, and is replaced
			if err != nil {
				t.value = booking.Execution{}
			}
		}
		s.read[of] = t
	}
	return nil
}

// Execution is an execution as this step has it; the zero value when there is none. It fails as
// Load does.
func (s *Step) Execution(ctx context.Context, executionID string) (booking.Execution, error) {
	if _, known := s.read[executionID]; !known {
		if err := s.Load(ctx, executionID); err != nil {
			return booking.Execution{}, err
		}
	}
	return s.read[executionID].value, nil
}

// Set changes an execution that Execution has shown. It fails with ErrUnstorable for another one, and
// with ErrTooLarge when there are too many.
func (s *Step) Set(e booking.Execution) error {
	t, known := s.read[e.ExecutionID]
	switch {
	case !known:
		return fmt.Errorf("%w: execution %q is set that was not read", ErrUnstorable, e.ExecutionID)
	case !t.changed && len(s.order) == maxStep:
		return fmt.Errorf("%w: a step changes %d executions at most", ErrTooLarge, maxStep)
	case !t.changed:
		s.order = append(s.order, e.ExecutionID)
	}
	t.value, t.changed = e, true
	return nil
}
