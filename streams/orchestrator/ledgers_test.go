package orchestrator_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// TestWhatWasDiscardedIsSentAgain: a stream that is full forgets its oldest messages, handled or not.
func TestWhatWasDiscardedIsSentAgain(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	settled(t, a, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	for i := range 9 {
		n.record(changed(fmt.Sprintf("x%d", i+1), "queued"))
	}
	a.kill(t)
	n.sendAll(t)
	stream, err := srv.JetStream(t).Stream(t.Context(), nclprotocol.OutStream)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSubject(nclprotocol.OutSubject("n")), jetstream.WithPurgeKeep(2)); err != nil {
		t.Fatal(err)
	}
	b := startReplica(t, srv, "b")
	asksForHandshake(t, n, "up to 7 are missing")
	if r := n.accepted(t); r.LastNodeSequence != 0 {
		t.Errorf("%+v", r)
	}
	n.sendAll(t)
	handledUpTo(t, b, "n", 9)
	for i := range 9 {
		becomes(t, b, fmt.Sprintf("x%d", i+1), "queued")
	}
}

// TestEventsOfAReplacedLedger are handled though nobody had looked at one of them before it was replaced.
func TestEventsOfAReplacedLedger(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a", func(c *orchestrator.Config) { c.LeaseTTL = time.Hour })
	nc := srv.Connect(t)
	settled(t, a, "a")
	b := startReplica(t, srv, "b", func(c *orchestrator.Config) { c.LeaseTTL = time.Hour })
	old, reborn := newNode(t, nc, "n"), newNode(t, nc, "n")
	old.interval = time.Second
	old.accepted(t)
	reborn.started = old.started.Add(time.Second)
	a.kill(t) // who has all partitions, and nobody follows
	old.record(changed("x1", "queued"), changed("x2", "queued"))
	old.sendAll(t)
	reborn.record(changed("y1", "queued"))
	reborn.succeeds(t)
	reborn.sendAll(t)
	b.drain(t)
	kv, err := srv.JetStream(t).KeyValue(t.Context(), store.PartitionsBucket)
	if err != nil {
		t.Fatal(err)
	}
	for p := range 32 { // an operator frees them
		if err := kv.Delete(t.Context(), fmt.Sprintf("%02d", p)); err != nil {
			t.Fatal(err)
		}
	}
	c := startReplica(t, srv, "c")
	for _, id := range []string{"x1", "x2", "y1"} {
		becomes(t, c, id, "queued")
	}
	if r := reborn.beat(t); r.HandshakeRequired {
		t.Errorf("%+v", r)
	}
}

// TestMemoryLost: whatever the scheduler forgets of a node, its ledger brings it back, and effects stay
// as they are.
func TestMemoryLost(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n.1")
	n.accepted(t)
	n.record(changed("x1", "queued"), changed("x1", "running"), changed("x1", "completed"))
	n.sendAll(t)
	handledUpTo(t, a, "n.1", 3)
	before, err := a.store.Executions.Get(t.Context(), "x1")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := a.js.Stream(t.Context(), "KV_executions")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSubject("oc.cursor.n=2E1")); err != nil {
		t.Fatal(err)
	}
	kv, err := a.js.KeyValue(t.Context(), "nodes")
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "n=2E1"); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it is forgotten", func() bool { return n.beat(t).HandshakeRequired })
	if r := n.accepted(t); r.LastNodeSequence != 0 {
		t.Errorf("%+v", r)
	}
	n.record(changed("x2", "queued"))
	natstest.Eventually(t, "all is handled again", func() bool {
		if n.beat(t).HandshakeRequired {
			n.accepted(t)
		}
		n.sendAll(t)
		c, _, err := a.store.Executions.Cursor(t.Context(), "n.1")
		return err == nil && c.Sequence == 4
	})
	becomes(t, a, "x2", "queued")
	if e, err := a.store.Executions.Get(t.Context(), "x1"); err != nil || e.State != before.State || !e.EndedAt.Equal(before.EndedAt) || e.Event != before.Event {
		t.Errorf("%+v was %+v, %v", e, before, err)
	}
}
