package demand

import (
	"encoding/json"
	"testing"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/workflow"
)

// tired makes the fleet's last request for a peer's planner the sixth in vain, some time ago: the next
// one is due five minutes after it.
func (r *replica) tired(t *testing.T, peerID string, ago time.Duration) {
	t.Helper()
	const before = (10 + 20 + 40 + 80 + 160) * time.Second
	when := r.now().Add(-before - ago)
	for attempt := range 6 {
		claim, next, won, err := r.store.Requests.Claim(t.Context(), peerID, store.Asking{By: "earlier"}, when)
		if err != nil || !won || claim.Attempt != attempt+1 {
			t.Fatalf("attempt %d: %+v, %v, %v", attempt+1, claim, won, err)
		}
		when = next
	}
	eventually(t, "the claim is in view", func() bool {
		claim, _ := r.store.Requests.View().Get(peerID)
		return claim.Value.Attempt == 6
	})
}

// connect is what a handshake of a peer's node writes.
func (r *replica) connect(t *testing.T, nodeID, peerID string) {
	t.Helper()
	info, err := json.Marshal(map[string]string{"node_id": nodeID, "peer_id": peerID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.store.Nodes.Change(t.Context(), nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		if n == nil {
			n = &store.NodeRecord{NodeID: nodeID, Standing: store.Standing{Membership: store.Approved}}
		}
		n.State, n.Info = store.NodeConnected, info
		n.Generation++
		return n, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAPeerThatConnectsIsAskedAtOnce: once for the fleet, and not again for each of its handshakes.
func TestAPeerThatConnectsIsAskedAtOnce(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b, c := f.replica(t, "a"), f.replica(t, "b"), f.replica(t, "c")
	a.tired(t, "p", 0)
	a.Watch([]string{"p"})
	b.Watch([]string{"p"})
	eventually(t, "listed", func() bool { return a.replicas(t, "p") == "a b" })
	c.connect(t, "n1", "p")
	f.eventuallySaid(t, "p", "request")
	for range 3 {
		c.connect(t, "n1", "p")
	}
	for _, r := range []*replica{a, b, c} {
		eventually(t, "all see the handshakes", func() bool { return r.connections.of("p") == 4 })
		again, err := r.request(t.Context(), "p", 0)
		if err != nil || again <= 0 || again > 11*time.Second {
			t.Errorf("again in %v, %v", again, err)
		}
	}
	a.Watch([]string{"last"}) // what is said later shows that nothing more was said of p
	f.eventuallySaid(t, "last", "request")
	if got := f.said("p"); got != "request" {
		t.Errorf("said of p: %s", got)
	}
	f.offset.Add(int64(10 * time.Second)) // the handshakes since still count
	if _, err := a.request(t.Context(), "p", 0); err != nil {
		t.Error(err)
	}
	f.eventuallySaid(t, "p", "request request")
}

// TestAPeerThatConnectedBeforeIsAsked: nobody watched when it came.
func TestAPeerThatConnectedBeforeIsAsked(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.replica(t, "a"), f.replica(t, "b")
	a.tired(t, "p", 0)
	b.connect(t, "n1", "q")
	b.connect(t, "n1", "p") // it says now that it is another peer's
	eventually(t, "seen", func() bool { return a.connections.of("p") == 2 && a.connections.of("q") == 0 })
	a.Watch([]string{"p"})
	f.eventuallySaid(t, "p", "request")
	if err := b.store.Nodes.Remove(t.Context(), "n1"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nothing remembered", func() bool {
		a.connections.mu.Lock()
		defer a.connections.mu.Unlock()
		return len(a.connections.nodes) == 0 && len(a.connections.peers) == 0
	})
}

// TestWhoeverBeginsToWantIsNotHeldUp: the growing delays are for those who go on waiting.
func TestWhoeverBeginsToWantIsNotHeldUp(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	a.tired(t, "watched", 10*time.Second)
	a.Watch([]string{"watched"})
	f.eventuallySaid(t, "watched", "request")

	f.publishWorkflow(t, "wf", "event")
	f.eventuallySaid(t, "event", "request")
	f.offset.Add(int64(10 * time.Second))
	f.publishWorkflow(t, "wf", "event") // unchanged
	f.eventuallySaid(t, "event", "request request")

	raw := []byte(`{"id":"wf2","graph":{"items":{"n":{"compute":{"id":"r","peer_id":"put"}}}}}`)
	w, err := workflow.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	a.tired(t, "put", 10*time.Second)
	if _, _, _, err := a.PutWorkflow(t.Context(), w, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil {
		t.Fatal(err)
	}
	f.eventuallySaid(t, "put", "request")
	if _, _, _, err := a.PutWorkflow(t.Context(), w, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil { // within 10 s
		t.Fatal(err)
	}
	a.Watch([]string{"last"})
	f.eventuallySaid(t, "last", "request")
	if got := f.said("put"); got != "request" {
		t.Errorf("said of put: %s", got)
	}
}

// TestOneRequestServesAllWhoBeganBefore: replicas whose streams came at the same time do not ask in turns.
func TestOneRequestServesAllWhoBeganBefore(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.replica(t, "a"), f.replica(t, "b")
	a.tired(t, "p", 0)
	since, _ := a.store.Requests.View().Get("p")
	f.offset.Add(int64(10 * time.Second))
	for n, r := range []*replica{a, b} {
		again, err := r.request(t.Context(), "p", since.Revision)
		if err != nil || again < time.Minute {
			t.Errorf("replica %d: again in %v, %v", n, again, err)
		}
		f.offset.Add(int64(10 * time.Second))
	}
	f.eventuallySaid(t, "p", "request")
}

// TestAPlannerOfAnotherPeerTellsThatDiscoveryIsThere: it may have been away when it was asked.
func TestAPlannerOfAnotherPeerTellsThatDiscoveryIsThere(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	a.Watch([]string{"p"})
	f.eventuallySaid(t, "p", "request")
	if err := a.store.Requests.Reset(t.Context(), "p", time.Time{}); err != nil {
		t.Fatal(err)
	}
	a.tired(t, "p", 10*time.Second) // since the stream came
	f.publishPlanner(t, "q")
	f.eventuallySaid(t, "p", "request request")
	eventually(t, "q is cached", func() bool { return a.cached("q") })
	f.offset.Add(int64(10 * time.Second))
	f.publishPlanner(t, "r") // discovery was there the last time
	eventually(t, "r is cached", func() bool { return a.cached("r") })
	a.Watch([]string{"last"})
	f.eventuallySaid(t, "last", "request")
	if got := f.said("p"); got != "request request" {
		t.Errorf("said of p: %s", got)
	}
}
