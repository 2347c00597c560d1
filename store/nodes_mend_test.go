package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

// garbage is what may come to stand in a bucket: by JetStream's own hand, where somebody has led it.
var garbage = map[string]string{"no JSON": "?", "an acknowledgement": `{"stream":"OC_BUS","seq":7}`, "null": "null", "nothing": ""}

// TestABrokenRecordIsMended by whoever remembers it, and else its node is not taken for a newcomer.
func TestABrokenRecordIsMended(t *testing.T) {
	t.Parallel()
	for name, data := range garbage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := natstest.Start(t)
			knows, js := running(t, srv, store.Config{})
			ignorant, _ := open(t, srv, store.Config{})
			rejected := &store.NodeRecord{NodeID: "n", Standing: store.Standing{Membership: store.Rejected, State: store.NodeGone}, Connection: store.Connection{Generation: 3}}
			if _, err := knows.Nodes.Change(t.Context(), "n", func(*store.NodeRecord) (*store.NodeRecord, error) { return rejected, nil }); err != nil {
				t.Fatal(err)
			}
			natstest.Eventually(t, "it is in view", func() bool { return knows.Nodes.View().Len() == 1 })
			for _, key := range []string{"n", "stranger"} {
				if _, err := js.Publish(t.Context(), "$KV.nodes."+key, []byte(data)); err != nil {
					t.Fatal(err)
				}
			}
			natstest.Eventually(t, "both are reported", func() bool { return len(knows.Nodes.View().Broken()) == 2 })
			_, err := ignorant.Nodes.Get(t.Context(), "n")
			wantErr(t, err, kv.ErrUndecodable)
			_, err = ignorant.Nodes.Change(t.Context(), "n", func(r *store.NodeRecord) (*store.NodeRecord, error) {
				if r == nil || r.Membership != store.Pending || r.NodeID != "n" {
					t.Errorf("%+v", r)
				}
				return nil, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := knows.Nodes.Get(t.Context(), "n"); err != nil || r.Membership != store.Rejected {
				t.Errorf("%+v, %v", r, err)
			}
			mended, err := knows.Nodes.Mend(t.Context())
			if err != nil || fmt.Sprint(mended) != "[n]" {
				t.Errorf("%v, %v", mended, err)
			}
			if r, err := ignorant.Nodes.Get(t.Context(), "n"); err != nil || r.Membership != store.Rejected || r.Generation != 3 {
				t.Errorf("%+v, %v", r, err)
			}
			natstest.Eventually(t, "one is reported still", func() bool { return len(knows.Nodes.View().Broken()) == 1 })
		})
	}
}

// TestGarbageIsNoValue in the other buckets: a node lives by a word of its own, and a name is not taken.
func TestGarbageIsNoValue(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	for name, data := range garbage {
		for _, bucket := range []string{"liveness", "executions"} {
			if _, err := js.Publish(t.Context(), "$KV."+bucket+".x", []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		if alive, err := st.Liveness.Alive(t.Context(), "x"); alive || err != nil {
			t.Errorf("%s: alive: %v, %v", name, alive, err)
		}
		_, err := st.Executions.Get(t.Context(), "x")
		wantErr(t, err, kv.ErrUndecodable)
		if _, err := st.Executions.Create(t.Context(), execution.Execution{ExecutionID: "x"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if fresh, err := st.Liveness.Beat(t.Context(), "x", store.Pulse{Session: "s", Sequence: 1}, time.Minute); !fresh || err != nil {
			t.Errorf("%s: %v, %v", name, fresh, err)
		}
		if _, err := st.Executions.Create(t.Context(), execution.Execution{ExecutionID: "x"}); !errors.Is(err, store.ErrExists) {
			t.Errorf("%s: %v", name, err)
		}
		if err := st.Liveness.End(t.Context(), "x", "s"); err != nil {
			t.Error(err)
		}
	}
}
