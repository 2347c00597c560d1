package store_test

import (
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

func commit(t *testing.T, st *store.Store, revision uint64, c store.Cursor, states map[string]execution.State) (uint64, error) {
	t.Helper()
	step := st.Executions.NewStep("node.1", revision)
	for id, state := range states {
		e, err := step.Execution(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		next, changed := e.Apply(execution.Event{
			EventRef: execution.EventRef{Ledger: c.Ledger, Sequence: c.Sequence}, ExecutionID: id, NodeID: "node.1", State: state, At: time.Now(),
		})
		if changed {
			if err := step.Set(next); err != nil {
				t.Fatal(err)
			}
		}
	}
	return step.Commit(t.Context(), c)
}

func stateOf(t *testing.T, st *store.Store, id string) execution.State {
	t.Helper()
	e, err := st.Executions.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e.State
}

func TestAStepIsAllOrNothing(t *testing.T) {
	t.Parallel()
	st, _ := running(t, natstest.Start(t), store.Config{})
	first, err := commit(t, st, 0, store.Cursor{Ledger: "l", Sequence: 2}, map[string]execution.State{"a": "running", "b.1": "queued"})
	if err != nil {
		t.Fatal(err)
	}
	if got := stateOf(t, st, "b.1"); got != execution.Queued {
		t.Errorf("b.1 is %s", got)
	}
	_, err = commit(t, st, 0, store.Cursor{Ledger: "l", Sequence: 3}, map[string]execution.State{"b.1": "failed", "c": "queued"})
	wantErr(t, err, kv.ErrConflict)
	_, err = st.Executions.Get(t.Context(), "c")
	wantErr(t, err, kv.ErrNotFound)
	c, revision, err := st.Executions.Cursor(t.Context(), "node.1")
	if err != nil || revision != first || c.Sequence != 2 {
		t.Errorf("cursor %+v of revision %d (%d), %v", c, revision, first, err)
	}
	second, err := commit(t, st, first, store.Cursor{Ledger: "l", Sequence: 3}, map[string]execution.State{"b.1": "failed"})
	if err != nil || stateOf(t, st, "b.1") != execution.Failed {
		t.Error(err)
	}
	if _, err := commit(t, st, second, store.Cursor{Ledger: "l", Sequence: 4}, nil); err != nil {
		t.Error(err)
	}
	natstest.Eventually(t, "the view shows executions only", func() bool {
		e, ok := st.Executions.View().Get("b.1")
		return ok && e.Value.State == execution.Failed && st.Executions.View().Len() == 2
	})
}

func TestAStepIsOvertakenByAnExecution(t *testing.T) {
	t.Parallel()
	st, _ := running(t, natstest.Start(t), store.Config{})
	step := st.Executions.NewStep("n", 0)
	if err := step.Load(t.Context(), "x", "y"); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Executions.Create(t.Context(), execution.Execution{ExecutionID: "x", NodeID: "n", State: execution.Ordered}); err != nil {
		t.Fatal(err)
	}
	_, err := st.Executions.Create(t.Context(), execution.Execution{ExecutionID: "x", NodeID: "n"})
	wantErr(t, err, store.ErrExists)
	for _, id := range []string{"x", "y"} {
		if err := step.Set(execution.Execution{ExecutionID: id}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = step.Commit(t.Context(), store.Cursor{Ledger: "l", Sequence: 1})
	wantErr(t, err, kv.ErrConflict)
	if got := stateOf(t, st, "x"); got != execution.Ordered {
		t.Errorf("x is %q", got)
	}
}
