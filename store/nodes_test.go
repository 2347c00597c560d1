package store_test

import (
	"errors"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
)

func TestNodes(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := open(t, srv, store.Config{})
	_, err := st.Nodes.Get(t.Context(), "n.1")
	wantErr(t, err, kv.ErrNotFound)
	wantErr(t, st.Nodes.Remove(t.Context(), "n.1"), kv.ErrNotFound)
	grow := func(by uint64) *store.NodeRecord {
		t.Helper()
		stands, err := st.Nodes.Change(t.Context(), "n.1", func(n *store.NodeRecord) (*store.NodeRecord, error) {
			if by == 0 {
				return nil, nil
			}
			if n == nil {
				n = &store.NodeRecord{NodeID: "n.1", Standing: store.Standing{Membership: store.Approved}}
			}
			n.Generation += by
			return n, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return stands
	}
	if got := grow(0); got != nil {
		t.Errorf("%+v", got)
	}
	grow(1)
	if got := grow(2); got.Generation != 3 {
		t.Errorf("%+v", got)
	}
	if got := grow(0); got.Generation != 3 {
		t.Errorf("%+v", got)
	}
	no := errors.New("no")
	_, err = st.Nodes.Change(t.Context(), "n.1", func(*store.NodeRecord) (*store.NodeRecord, error) { return nil, no })
	wantErr(t, err, no)
	if _, err := js.Publish(t.Context(), "$KV.nodes.n=2E1", []byte("?")); err != nil {
		t.Fatal(err)
	}
	_, err = st.Nodes.Get(t.Context(), "n.1")
	wantErr(t, err, kv.ErrUndecodable)
	if got := grow(1); got.Generation != 1 || got.Membership != store.Pending { // nobody remembers who it was
		t.Errorf("%+v", got)
	}
	if err := st.Nodes.Remove(t.Context(), "n.1"); err != nil {
		t.Error(err)
	}
}

func TestPulses(t *testing.T) {
	t.Parallel()
	st, _ := open(t, natstest.Start(t), store.Config{})
	for i, step := range []struct {
		session  string
		sequence uint64
		fresh    bool
	}{{"a", 1, true}, {"a", 3, true}, {"a", 3, false}, {"a", 2, false}, {"b", 1, true}, {"b", 2, true}} {
		fresh, err := st.Liveness.Beat(t.Context(), "n", store.Pulse{Session: step.session, Sequence: step.sequence}, time.Minute)
		if err != nil || fresh != step.fresh {
			t.Errorf("step %d: %v, %v", i, fresh, err)
		}
	}
	if err := st.Liveness.End(t.Context(), "n", "a"); err != nil { // of a session that is over
		t.Error(err)
	}
	if alive, err := st.Liveness.Alive(t.Context(), "n"); err != nil || !alive {
		t.Error(alive, err)
	}
	if err := st.Liveness.End(t.Context(), "n", "b"); err != nil {
		t.Error(err)
	}
	if alive, err := st.Liveness.Alive(t.Context(), "n"); err != nil || alive {
		t.Error(alive, err)
	}
	if _, err := st.Liveness.Beat(t.Context(), "n", store.Pulse{Session: "c"}, 500*time.Millisecond); err != nil {
		t.Error(err) // it is rounded up to what the server can do
	}
	natstest.Eventually(t, "it runs out", func() bool { alive, err := st.Liveness.Alive(t.Context(), "n"); return err == nil && !alive })
}

func TestPartitionsHaveOneHolder(t *testing.T) {
	t.Parallel()
	st, _ := open(t, natstest.Start(t), store.Config{})
	first, lost, err := st.Partitions.Write(t.Context(), "00", 0, store.Partition{Replica: "a"})
	if err != nil || lost {
		t.Fatal(lost, err)
	}
	second, lost, err := st.Partitions.Write(t.Context(), "00", first, store.Partition{Replica: "b", Position: 7})
	if err != nil || lost {
		t.Fatal(lost, err)
	}
	if _, lost, err := st.Partitions.Write(t.Context(), "00", first, store.Partition{Replica: "a"}); err != nil || !lost {
		t.Error(lost, err)
	}
	p, revision, err := st.Partitions.Get(t.Context(), "00")
	if err != nil || revision != second || p.Replica != "b" || p.Position != 7 {
		t.Errorf("%+v of %d, %v", p, revision, err)
	}
}
