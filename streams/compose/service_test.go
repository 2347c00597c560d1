package compose

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
)

// A planner that stands follows all that becomes of the peer's nodes, on every replica, in one life.
func TestKeptUp(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a, b := start(t, srv, "a"), start(t, srv, "b")
	a.here(t, "n1")
	a.tells(t, "n1", 1, map[string]int{"i": 1})
	natstest.Eventually(t, "the node is known", func() bool { return a.HasNodes("p") })
	if err := a.Begin(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	life := b.shows(t, map[string]int{"i": 1}).Value
	steps := []struct {
		what string
		do   func()
		want map[string]int
	}{
		{"a node comes", func() { b.here(t, "n2"); b.tells(t, "n2", 1, map[string]int{"i": 7, "j": 2}) }, map[string]int{"i": 1, "j": 2}},
		{"it offers something else", func() { b.tells(t, "n2", 2, map[string]int{"i": 7, "j": 3, "k": 4}) }, map[string]int{"i": 1, "j": 3, "k": 4}},
		{"the first is lost", func() { a.node(t, "n1", func(n *store.NodeRecord) { n.State = store.NodeLost }) }, map[string]int{"i": 7, "j": 3, "k": 4}},
		{"it is back", func() { a.here(t, "n1") }, map[string]int{"i": 1, "j": 3, "k": 4}},
		{"the second is rejected", func() {
			a.node(t, "n2", func(n *store.NodeRecord) { n.Membership, n.State = store.Rejected, store.NodeGone })
		}, map[string]int{"i": 1}},
		{"it is approved, and not back yet", func() { a.node(t, "n2", func(n *store.NodeRecord) { n.Membership = store.Approved }) }, map[string]int{"i": 1}},
		{"it is back", func() { a.here(t, "n2") }, map[string]int{"i": 1, "j": 3, "k": 4}},
		{"somebody else's planner is stored", func() { discover(t, a, 1) }, map[string]int{"i": 1, "j": 3, "k": 4}},
		{"the second is of another peer", func() { a.node(t, "n2", func(n *store.NodeRecord) { n.Info = []byte(`{"peer_id":"q"}`) }) }, map[string]int{"i": 1}},
		{"its offer is deleted", func() {
			a.node(t, "n1", func(n *store.NodeRecord) { n.TellsOffers = true })
			purge(t, srv, "$KV.offers.n1")
		}, nil},
		{"it is told again", func() { a.tells(t, "n1", 2, map[string]int{"i": 1}) }, map[string]int{"i": 1}},
		{"all are lost", func() { a.node(t, "n1", func(n *store.NodeRecord) { n.State = store.NodeLost }) }, nil},
		{"one is back", func() { a.here(t, "n1") }, map[string]int{"i": 1}},
	}
	for _, step := range steps {
		t.Log(step.what)
		step.do()
		for _, r := range []*replica{a, b} {
			if stands := r.shows(t, step.want).Value; !stands.ExpiresAt.Equal(life.ExpiresAt) || !stands.FirstSeenAt.Equal(life.FirstSeenAt) {
				t.Errorf("%s: another life: until %v, not %v", step.what, stands.ExpiresAt, life.ExpiresAt)
			}
		}
	}
	if nodeID, ok := b.Node("p", planner.Ref{ResourceID: "r", InstanceID: "i"}); nodeID != "n1" || !ok {
		t.Errorf("node %q, %t", nodeID, ok)
	}
	if err := b.store.Nodes.Remove(t.Context(), "n1"); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the planner ends with the last node", func() bool {
		_, stands := b.store.Planners.View().Get("p")
		return !stands && !b.HasNodes("p")
	})
	natstest.Eventually(t, "what it offered is removed", func() bool { _, ok := b.store.Offers.View().Get("n1"); return !ok })
	discover(t, a, 9)
	natstest.Eventually(t, "discovery works again", func() bool {
		stands, ok := b.store.Planners.View().Get("p")
		return ok && !stands.Value.Composed
	})
}

// purge removes a key from below its bucket.
func purge(t *testing.T, srv *natstest.Server, subject string) {
	t.Helper()
	js := srv.JetStream(t)
	name, err := js.StreamNameBySubject(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), name)
	if err == nil {
		err = stream.Purge(t.Context(), jetstream.WithPurgeSubject(subject))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// discover stores a planner of discovery, as a replica does that does not know of the nodes yet.
func discover(t *testing.T, r *replica, seq uint64) {
	t.Helper()
	raw := fmt.Appendf(nil, `{"peer_id":"p","generated_at":%q,"capacities":{"x":{}}}`, time.Now().Add(time.Minute).UTC().Format(time.RFC3339))
	pl, err := planner.Decode(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.store.Planners.Apply(t.Context(), raw, pl, origin.Source{Seq: seq, Time: r.store.Now(), Bus: time.Now().Add(-time.Hour)})
	if err != nil || out != origin.Stored {
		t.Fatal(out, err)
	}
}

// Without a connected node no life begins; without anybody who wants it none does either; and what ended stays so.
func TestWhereALifeBegins(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := start(t, srv, "a")
	js := srv.JetStream(t)
	a.here(t, "n1")
	a.tells(t, "n1", 1, map[string]int{"i": 1})
	a.node(t, "n1", func(n *store.NodeRecord) { n.State = store.NodeLost })
	natstest.Eventually(t, "the node is known, and lost", func() bool { c, err := a.Planner("p"); return a.HasNodes("p") && c == nil && err == nil })
	if err := a.Begin(t.Context(), "p"); err != nil || writes(t, js) != 0 {
		t.Errorf("of nobody who is there: %v, %d writes", err, writes(t, js))
	}
	a.here(t, "n1")
	natstest.Eventually(t, "the node is back", func() bool { c, err := a.Planner("p"); return c != nil && err == nil })
	if err := errors.Join(a.Begin(t.Context(), "p"), a.Begin(t.Context(), "p")); err != nil {
		t.Fatal(err)
	}
	a.shows(t, map[string]int{"i": 1})
	settled(t, a)
	if n := writes(t, js); n != 1 {
		t.Errorf("%d writes", n)
	}
	if err := a.store.Planners.End(t.Context(), "p", "", func(context.Context) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	a.tells(t, "n1", 2, map[string]int{"i": 2})
	natstest.Eventually(t, "the offer is known", func() bool {
		c, err := a.Planner("p")
		return err == nil && has(c.Planner, map[string]int{"i": 2})
	})
	b := start(t, srv, "b") // which looks at all peers when it starts
	if err := b.Begin(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*replica{a, b} {
		r.shows(t, map[string]int{"i": 2})
	}
	settled(t, a, b)
	if n := writes(t, js); n != 3 { // a marker between two lives
		t.Errorf("%d writes: a life began by itself", n)
	}
}

// Many changes of many nodes make few compositions, and the last of them stands; what is told again makes none.
func TestAStormMakesFewCompositions(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	replicas := []*replica{start(t, srv, "a"), start(t, srv, "b"), start(t, srv, "c")}
	const nodes, times = 25, 4
	offers := func(node, time int) map[string]int { return map[string]int{fmt.Sprintf("i%d", node): time} }
	for n := range nodes {
		replicas[0].here(t, fmt.Sprint("n", n))
		replicas[0].tells(t, fmt.Sprint("n", n), 1, offers(n, 0))
	}
	natstest.Eventually(t, "the nodes are known", func() bool { return crewOf(replicas[1]) == nodes })
	if err := replicas[1].Begin(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	js, began := srv.JetStream(t), time.Now()
	var tellers sync.WaitGroup
	for n := range nodes {
		tellers.Go(func() {
			for time := range times {
				replicas[n%3].tells(t, fmt.Sprint("n", n), uint64(2+time), offers(n, 1+time))
			}
		})
	}
	tellers.Wait()
	want := map[string]int{}
	for n := range nodes {
		want[fmt.Sprintf("i%d", n)] = times
	}
	for _, r := range replicas {
		r.shows(t, want)
	}
	settled(t, replicas...)
	most := uint64(time.Since(began)/apart) + 3 // the first, the last, and one for the clocks
	after := writes(t, js)
	if after > most {
		t.Errorf("%d writes, at most %d", after, most)
	}
	for n := range nodes {
		replicas[0].tells(t, fmt.Sprint("n", n), 100, offers(n, times))
	}
	natstest.Eventually(t, "what is told again is known", func() bool {
		told, ok := replicas[2].store.Offers.View().Get(fmt.Sprint("n", nodes-1))
		return ok && told.Value.Sequence == 100
	})
	settled(t, replicas...)
	if n := writes(t, js); n != after {
		t.Errorf("%d writes after %d, though nothing has changed", n, after)
	}
}

// What a replica saw that dies right then is not lost: the others saw it too.
func TestTheReplicaThatSawItDies(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	replicas := []*replica{start(t, srv, "a"), start(t, srv, "b"), start(t, srv, "c")}
	replicas[0].here(t, "n1")
	replicas[0].tells(t, "n1", 1, map[string]int{"i": 0})
	natstest.Eventually(t, "the node is known", func() bool { return replicas[0].HasNodes("p") })
	if err := replicas[0].Begin(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	for n := range len(replicas) - 1 { // their leases stand, as of who was killed
		last := replicas[len(replicas)-1]
		last.tells(t, "n1", uint64(2+n), map[string]int{"i": n + 1})
		replicas[n].stop()
		last.shows(t, map[string]int{"i": n + 1})
	}
}

func crewOf(r *replica) int {
	here, _ := r.roster.here("p")
	return len(here)
}
