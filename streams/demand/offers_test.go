package demand

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/store"
)

// node makes a node of peer-n be in a state, connected first, and tell that it offers an instance.
func (r *replica) node(t *testing.T, nodeID string, state store.NodeState) {
	t.Helper()
	_, err := r.store.Nodes.Change(t.Context(), nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		return &store.NodeRecord{NodeID: nodeID, Standing: store.Standing{Membership: store.Approved, State: state}, Connection: store.Connection{Session: "s", Info: []byte(`{"peer_id":"peer-n"}`)}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	document := fmt.Appendf(nil, `{"capacities":{"r":{%q:{"ram":1}}}}`, nodeID)
	if _, err := r.store.Offers.Keep(t.Context(), nodeID, store.Telling{Session: "s", Sequence: 1}, document); err != nil {
		t.Fatal(err)
	}
}

// offers waits until the planner of peer-n that a replica has is composed, of so many resources.
func (r *replica) offers(t *testing.T, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("a composed planner with %d resources", n), func() bool {
		e, ok := r.store.Planners.View().Get("peer-n")
		if !ok {
			return false
		}
		resources, _ := e.Value.Counts()
		return e.Value.Composed && resources == n
	})
}

// A peer that has nodes is asked nothing on the bus: its planner is composed where streams want it, is empty while
// its nodes are lost, does not begin then, and ends with the last of them.
func TestAPeerWithNodesIsNotAsked(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.replica(t, "a"), f.replica(t, "b")
	a.node(t, "n1", store.NodeLost)
	eventually(t, "its node is known", func() bool { return a.composer.HasNodes("peer-n") && b.composer.HasNodes("peer-n") })
	release := b.Watch([]string{"peer-n"})
	eventually(t, "it is watched", func() bool { return b.wants.get("peer-n").listed })
	if _, ok := b.store.Planners.View().Get("peer-n"); ok {
		t.Error("a life begins while nobody is there")
	}
	a.node(t, "n1", store.NodeConnected)
	a.offers(t, 1)
	a.node(t, "n1", store.NodeLost)
	b.offers(t, 0)
	a.node(t, "n1", store.NodeConnected)
	b.offers(t, 1)
	f.publishPlanner(t, "peer-n") // of a discovery that does not know of the nodes
	f.publishWorkflow(t, "w", "peer-n")
	eventually(t, "the events are handled", func() bool {
		_, ok := a.store.Workflows.View().Get("w")
		return ok && a.ignored.size()+b.ignored.size() > 0
	})
	f.publishPlanner(t, "peer-n")
	f.publishWorkflow(t, "w2", "peer-n")
	eventually(t, "those, too", func() bool { _, ok := a.store.Workflows.View().Get("w2"); return ok })
	f.busIsRead(t) // events of different things are handled in any order
	for _, r := range []*replica{a, b} {
		r.offers(t, 1)
	}
	if said := f.said("peer-n"); said != "" {
		t.Errorf("said %q", said)
	}
	if err := a.store.Nodes.Remove(t.Context(), "n1"); err != nil {
		t.Fatal(err)
	}
	f.eventuallySaid(t, "peer-n", "close request")
	f.publishPlanner(t, "peer-n")
	eventually(t, "discovery works again", func() bool {
		e, ok := b.store.Planners.View().Get("peer-n")
		return ok && !e.Value.Composed
	})
	release()
	f.eventuallySaid(t, "peer-n", "close request close")
}

// The fleet answers others, once, for peers whose nodes are there.
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.replica(t, "a"), f.replica(t, "b")
	var answers atomic.Int32
	answered := make(chan *nats.Msg, 10)
	if _, err := f.nc.Subscribe(events.Propagation, func(m *nats.Msg) {
		if m.Header.Get(events.HeaderComposed) != "" {
			answers.Add(1)
			answered <- m
		}
	}); err != nil {
		t.Fatal(err)
	}
	ask := func(peerID string) {
		payload, err := events.Propagated{Action: events.ActionPlanner, Payload: fmt.Appendf(nil, `{"peer_id":%q}`, peerID)}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		f.publish(t, events.Propagation, events.Envelope{FromApp: "oc-front", Payload: payload})
	}
	a.node(t, "n1", store.NodeLost)
	eventually(t, "its node is known", func() bool { return a.composer.HasNodes("peer-n") && b.composer.HasNodes("peer-n") })
	ask("peer-n") // nobody is there
	ask("peer-x") // has no nodes
	f.busIsRead(t)
	a.node(t, "n1", store.NodeConnected)
	for _, r := range []*replica{a, b} {
		eventually(t, "its node is back", func() bool { c, err := r.composer.Planner("peer-n"); return c != nil && err == nil })
	}
	ask("peer-n")
	m := <-answered
	envelope, err := events.DecodeEnvelope(m.Data)
	if err != nil || envelope.FromApp != events.FromDiscovery {
		t.Fatalf("%s, %v", m.Data, err)
	}
	p, err := events.DecodePropagated(envelope.Payload)
	if err != nil {
		t.Fatal(err)
	}
	var planner struct {
		PeerID     string `json:"peer_id"`
		Capacities map[string]map[string]any
	}
	if err := json.Unmarshal(p.Payload, &planner); err != nil || planner.PeerID != "peer-n" || len(planner.Capacities["r"]) != 1 {
		t.Errorf("answer %s, %v", p.Payload, err)
	}
	f.busIsRead(t)
	if n := answers.Load(); n != 1 {
		t.Errorf("%d answers", n)
	}
	if _, ok := a.store.Planners.View().Get("peer-n"); ok {
		t.Error("an answer is stored")
	}
}

// busIsRead waits until all that stands on the bus is handled. How much waits is counted a moment after it was stored.
func (f *fleet) busIsRead(t *testing.T) {
	t.Helper()
	bus, err := f.js.Stream(t.Context(), events.Stream)
	if err != nil {
		t.Fatal(err)
	}
	last := bus.CachedInfo().State.LastSeq
	eventually(t, "the bus is read", func() bool {
		c, err := f.js.Consumer(t.Context(), events.Stream, events.Durable)
		return err == nil && c.CachedInfo().AckFloor.Stream >= last
	})
}

func (i *ignored) size() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.peers)
}
