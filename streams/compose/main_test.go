package compose

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/planners"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// replica is a store with a Service.
type replica struct {
	*Service
	stop func() // as kill -9 does
}

func start(t *testing.T, srv *natstest.Server, id string) *replica {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	st, err := store.Open(t.Context(), srv.JetStream(t), store.Config{}, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := New(id, st, log)
	if _, err := st.Leases.Acquire(t.Context(), id, store.Lease{Address: id}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	for _, run := range []func(context.Context) error{st.Run, s.Run} {
		parts.Go(func() {
			if err := run(ctx); err != nil {
				t.Errorf("replica %s: %v", id, err)
			}
		})
	}
	stop := sync.OnceFunc(func() { cancel(); parts.Wait() })
	t.Cleanup(stop)
	natstest.Receive(t, s.Ready())
	return &replica{s, stop}
}

// node makes what is known of a node be what change says.
func (r *replica) node(t *testing.T, nodeID string, change func(*store.NodeRecord)) {
	t.Helper()
	_, err := r.store.Nodes.Change(t.Context(), nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		if n == nil {
			n = &store.NodeRecord{NodeID: nodeID, Standing: store.Standing{Membership: store.Approved, State: store.NodeConnected}, Connection: store.Connection{Session: "s", Info: []byte(`{"peer_id":"p"}`)}}
		}
		change(n)
		return n, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// here lets a node come.
func (r *replica) here(t *testing.T, nodeID string) {
	t.Helper()
	r.node(t, nodeID, func(n *store.NodeRecord) { n.State = store.NodeConnected })
}

// tells lets a node tell what it offers: instances with so much each.
func (r *replica) tells(t *testing.T, nodeID string, sequence uint64, instances map[string]int) {
	t.Helper()
	if _, err := r.store.Offers.Keep(t.Context(), nodeID, store.Telling{Session: "s", Sequence: sequence}, document(instances)); err != nil {
		t.Fatal(err)
	}
}

func document(instances map[string]int) []byte {
	text := ""
	for instance, ram := range instances {
		text += fmt.Sprintf(`,%q:{"ram":%d}`, instance, ram)
	}
	return []byte(`{"capacities":{"r":{` + text[min(len(text), 1):] + `}}}`)
}

// shows waits until the view of a replica has the planner of p with these instances.
func (r *replica) shows(t *testing.T, instances map[string]int) kv.Entry[planners.Record] {
	t.Helper()
	var stands kv.Entry[planners.Record]
	natstest.Eventually(t, fmt.Sprint("the planner shows ", instances), func() bool {
		var ok bool
		stands, ok = r.store.Planners.View().Get("p")
		return ok && stands.Value.Composed && has(stands.Value.Planner, instances)
	})
	return stands
}

func has(p *planner.Planner, instances map[string]int) bool {
	resource := planner.NewIndex(p).Resource("r")
	if resource == nil {
		return len(instances) == 0
	}
	if len(resource.Instances()) != len(instances) {
		return false
	}
	for instance, ram := range instances {
		if i := resource.Instance(instance); i == nil || i.Capacity("ram") != planner.Amount(ram)*planner.Unit {
			return false
		}
	}
	return true
}

// writes is how many messages the bucket of planners has taken.
func writes(t *testing.T, js jetstream.JetStream) uint64 {
	t.Helper()
	stream, err := js.Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().State.LastSeq
}

// settled waits until no replica has anything to do.
func settled(t *testing.T, replicas ...*replica) {
	t.Helper()
	natstest.Eventually(t, "all replicas are content", func() bool {
		for _, r := range replicas {
			stands, ok := r.store.Planners.View().Get("p")
			_, version := r.roster.here("p")
			if n := r.notes.get("p"); !ok || version == 0 || !n.says(version, stands.Value) {
				return false
			}
		}
		return true
	})
}
