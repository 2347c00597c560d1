package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

// TestNoKeyEndsTheConnection: a server shuts out a client for a subject that is too long, and the client
// stays away. So what is no identifier never comes to be a subject, whoever gave it.
func TestNoKeyEndsTheConnection(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	step := func(ctx context.Context, node, execution string) error {
		s := st.Executions.NewStep(node, 0)
		if execution != "" {
			if err := s.Load(ctx, execution); err != nil {
				return err
			}
		}
		_, err := s.Commit(ctx, store.Cursor{Ledger: "l", Sequence: 1})
		return err
	}
	calls := map[string]func(context.Context, string) error{
		"nodes get": func(ctx context.Context, key string) error { _, err := st.Nodes.Get(ctx, key); return err },
		"nodes change": func(ctx context.Context, key string) error {
			_, err := st.Nodes.Change(ctx, key, func(*store.NodeRecord) (*store.NodeRecord, error) { return &store.NodeRecord{NodeID: key}, nil })
			return err
		},
		"nodes remove": func(ctx context.Context, key string) error { return st.Nodes.Remove(ctx, key) },
		"pulse": func(ctx context.Context, key string) error {
			_, err := st.Liveness.Beat(ctx, key, store.Pulse{Session: "s"}, time.Minute)
			return err
		},
		"alive":     func(ctx context.Context, key string) error { _, err := st.Liveness.Alive(ctx, key); return err },
		"pulse end": func(ctx context.Context, key string) error { return st.Liveness.End(ctx, key, "s") },
		"execution": func(ctx context.Context, key string) error { _, err := st.Executions.Get(ctx, key); return err },
		"execution create": func(ctx context.Context, key string) error {
			_, err := st.Executions.Create(ctx, execution.Execution{ExecutionID: key})
			return err
		},
		"cursor":       func(ctx context.Context, key string) error { _, _, err := st.Executions.Cursor(ctx, key); return err },
		"rough cursor": func(ctx context.Context, key string) error { _, err := st.Executions.RoughCursor(ctx, key); return err },
		"step":         func(ctx context.Context, key string) error { return step(ctx, "n", key+"\n") },
		"step's node":  func(ctx context.Context, key string) error { return step(ctx, key, "") },
		"partition":    func(ctx context.Context, key string) error { _, _, err := st.Partitions.Get(ctx, key); return err },
		"lease of a partition": func(ctx context.Context, key string) error {
			_, _, err := st.Partitions.Write(ctx, key, 0, store.Partition{})
			return err
		},
		"departure": func(ctx context.Context, key string) error { return st.Planners.Depart(ctx, key, time.Time{}) },
		"claim": func(ctx context.Context, key string) error {
			_, _, _, err := st.Requests.Claim(ctx, key, store.Asking{By: "r"}, time.Now())
			return err
		},
		"interest": func(ctx context.Context, key string) error { return st.Interest.Add(ctx, key, "r") },
		"lease": func(ctx context.Context, key string) error {
			_, err := st.Leases.Acquire(ctx, key, store.Lease{})
			return err
		},
	}
	for what, call := range calls {
		for name, key := range map[string]string{
			"empty": "", "long": strings.Repeat("k", 129), "control line": strings.Repeat("k", 5000), "huge": strings.Repeat("=", 300<<10), "control": "a\x00b",
		} {
			if err := call(t.Context(), key); err == nil {
				t.Errorf("%s of a key that is %s is done", what, name)
			} else if wantErr(t, err, id.ErrInvalid); len(err.Error()) > 200 {
				t.Errorf("%s: an error of %d bytes", what, len(err.Error()))
			}
		}
	}
	if err := js.Conn().FlushTimeout(5 * time.Second); err != nil || js.Conn().IsClosed() {
		t.Errorf("the connection is %v: %v", js.Conn().Status(), err)
	}
	if err := step(t.Context(), "n", "x"); err != nil {
		t.Error(err)
	}
}

// TestWhatHasNoForm is an error that says so, and nothing is stored.
func TestWhatHasNoForm(t *testing.T) {
	t.Parallel()
	st, _ := running(t, natstest.Start(t), store.Config{})
	step := st.Executions.NewStep("n", 0)
	if err := step.Load(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	beyond := execution.Execution{ExecutionID: "x", QueuedAt: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}
	wantErr(t, step.Set(beyond), kv.ErrUnstorable)
	wantErr(t, step.Set(execution.Execution{ExecutionID: "never read"}), kv.ErrUnstorable)
	if c, revision, err := st.Executions.Cursor(t.Context(), "n"); err != nil || revision != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
