package store

import (
	"context"
	"encoding/json"
	"fmt"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

// Step moves a node's cursor on, and changes executions with it: all or nothing. It belongs to one
// goroutine.
type Step struct {
	x        *Executions
	nodeID   string
	revision uint64 // of the cursor
	batch    *kv.Batch
	set      map[string]execution.Execution
	made     int // executions that nobody ordered
	refused  int
}

// NewStep begins a step from a cursor of that revision.
func (x *Executions) NewStep(nodeID string, revision uint64) *Step {
	return &Step{x: x, nodeID: nodeID, revision: revision, batch: x.keys.NewBatch(), set: map[string]execution.Execution{}}
}

// Load reads executions in one request, for Execution to find. It fails with id.ErrInvalid or
// kv.ErrUnavailable.
func (s *Step) Load(ctx context.Context, executionIDs ...string) error {
	keys := make([]kv.Key, len(executionIDs))
	for i, of := range executionIDs {
		keys[i] = kv.KeyOf(of)
	}
	return s.batch.Load(ctx, s.x.keys, keys...)
}

// Execution is an execution as this step has it; the zero value when there is none, or a broken one. It
// fails as Load does.
func (s *Step) Execution(ctx context.Context, executionID string) (execution.Execution, error) {
	if e, changed := s.set[executionID]; changed {
		return e, nil
	}
	m, err := s.batch.Message(ctx, s.x.keys, kv.KeyOf(executionID))
	if err != nil || !m.Live() {
		return execution.Execution{}, err
	}
	e, _ := decodeExecution(kv.KeyOf(executionID), m) // a broken one counts as none, and is replaced
	return e, nil
}

// Set changes an execution that Execution has shown. It fails with kv.ErrUnstorable for another one, and
// with kv.ErrTooLarge when there are too many.
func (s *Step) Set(e execution.Execution) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("%w: execution %q: %w", kv.ErrUnstorable, e.ExecutionID, err)
	}
	if err := s.batch.Set(s.x.keys, kv.KeyOf(e.ExecutionID), &kv.Write{Data: data, TTL: executionTTL}); err != nil {
		return fmt.Errorf("execution %q: %w", e.ExecutionID, err)
	}
	s.set[e.ExecutionID] = e
	return nil
}

// Commit stores the cursor and what was changed, and returns the cursor's revision. It fails with
// kv.ErrConflict, with kv.ErrUnavailable, after which the outcome may be unknown, and with kv.ErrTooLarge,
// kv.ErrUnstorable or id.ErrInvalid, which no other try mends.
func (s *Step) Commit(ctx context.Context, c Cursor) (revision uint64, err error) {
	data, err := json.Marshal(c)
	if err == nil {
		err = s.batch.SetAt(s.x.cursors, kv.KeyOf(s.nodeID), s.revision, &kv.Write{Data: data})
	}
	if err != nil {
		return 0, fmt.Errorf("cursor: %w", err)
	}
	return s.batch.Commit(ctx)
}
