package orchestrator_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/orchestrator"
)

// countsInto has a replica count into a registry of its own.
func countsInto(reg *prometheus.Registry) func(*orchestrator.Config) {
	return func(c *orchestrator.Config) { c.Metrics = reg }
}

// eventsCounted are those of nodes, by what became of them.
func eventsCounted(t testing.TB, reg *prometheus.Registry) (by map[string]int, all int) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	by = map[string]int{}
	for _, f := range families {
		if f.GetName() != "oc_scheduler_node_events_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			n := int(m.GetCounter().GetValue())
			by[m.GetLabel()[0].GetValue()] = n
			all += n
		}
	}
	return by, all
}

// TestWhoIsNotLetInLeavesNothing: what a node says that is pending, rejected or unknown is counted, and makes neither
// dead letters nor records.
func TestWhoIsNotLetInLeavesNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	reg := prometheus.NewRegistry()
	a := startReplica(t, srv, "a", countsInto(reg), func(c *orchestrator.Config) { c.ManualApproval = true })
	keepDeadLetters(t, a.js)
	nc := srv.Connect(t)
	unknown, pending, rejected := newNode(t, nc, "unknown"), newNode(t, nc, "pending"), newNode(t, nc, "rejected")
	refused(t, pending.handshake(t), "waits for approval")
	refused(t, rejected.handshake(t), "waits for approval")
	if _, err := a.Members.Approve(t.Context(), "rejected"); err != nil {
		t.Fatal(err)
	}
	rejected.accepted(t)
	rejected.record(changed("before", "queued"))
	rejected.sendAll(t)
	becomes(t, a, "before", "queued")
	if _, err := a.Members.Reject(t.Context(), "rejected"); err != nil {
		t.Fatal(err)
	}
	for _, n := range []*node{unknown, pending, rejected} {
		n.publish(t, []byte("?"))
		n.record(changed("of "+n.id, "queued"))
		n.sendAll(t)
		n.publish(t, []byte("?"))
	}
	natstest.Eventually(t, "all is read", func() bool {
		_, all := eventsCounted(t, reg)
		return all == 1+3*3
	})
	if by, _ := eventsCounted(t, reg); by["foreign"] != 9 {
		t.Errorf("%v", by)
	}
	if got := deadLetters(t, a.js); len(got) > 0 {
		t.Errorf("dead letters: %v", got)
	}
	for _, n := range []*node{unknown, pending, rejected} {
		if e, err := a.store.Executions.Get(t.Context(), "of "+n.id); err == nil {
			t.Errorf("%+v", e)
		}
	}
	if _, err := a.Members.Approve(t.Context(), "rejected"); err != nil { // and what it has said meanwhile it says again
		t.Fatal(err)
	}
	rejected.accepted(t)
	rejected.sendAll(t)
	becomes(t, a, "of rejected", "queued")
}

// TestAFloodOfDeadLetters is kept in part, however many replicas it goes to one after the other.
func TestAFloodOfDeadLetters(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	keepDeadLetters(t, a.js)
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	flood := func(by *replica, upTo uint64) {
		t.Helper()
		for range 600 {
			n.publish(t, []byte("?"))
		}
		n.record(changed("x", "queued")) // it is read after all of them
		n.sendAll(t)
		handledUpTo(t, by, "n", upTo)
	}
	flood(a, 1)
	b := startReplica(t, srv, "b")
	a.drain(t)
	settled(t, b, "b")
	flood(b, 2)
	if got := len(deadLetters(t, b.js)); got < 500 || got > 900 {
		t.Errorf("%d dead letters of 1200 are kept", got)
	}
}
