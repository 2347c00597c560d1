package orchestrator_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
)

// cursorOf waits until a node's events were handled up to one.
func handledUpTo(t testing.TB, r *replica, nodeID string, sequence uint64) store.Cursor {
	t.Helper()
	var c store.Cursor
	natstest.Eventually(t, fmt.Sprintf("%s is handled up to %d", nodeID, sequence), func() bool {
		var err error
		c, _, err = r.store.Executions.Cursor(t.Context(), nodeID)
		return err == nil && c.Sequence == sequence
	})
	return c
}

// asksForHandshake waits until a heartbeat is answered so.
func asksForHandshake(t testing.TB, n *node, reason string) {
	t.Helper()
	natstest.Eventually(t, n.id+" is asked for a handshake", func() bool {
		r := n.beat(t)
		return r.HandshakeRequired && strings.Contains(r.Reason, reason)
	})
}

func TestDuplicatesAndGaps(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	for i := range 9 {
		n.record(changed(fmt.Sprintf("x%d", i+1), "queued"))
	}
	out := func(sequence, previous uint64) {
		t.Helper()
		frame, err := n.frame(sequence, previous)
		if err != nil {
			t.Fatal(err)
		}
		n.publish(t, frame)
	}
	out(1, 0)
	out(2, 1)
	out(1, 0) // twice
	out(4, 2) // 3 yields no message
	out(2, 1)
	handledUpTo(t, a, "n", 4)
	out(7, 6) // 5 and 6 are lost
	out(8, 7)
	asksForHandshake(t, n, "up to 6 are missing")
	if _, ok := a.store.Executions.View().Get("x7"); ok {
		t.Error("an event beyond the gap was handled")
	}
	if r := n.accepted(t); r.LastNodeSequence != 4 {
		t.Errorf("%+v", r)
	}
	n.sendAll(t)
	handledUpTo(t, a, "n", 9)
	for _, id := range []string{"x1", "x2", "x4", "x5", "x6", "x7", "x8", "x9"} {
		becomes(t, a, id, execution.Queued)
	}
	if r := n.beat(t); r.HandshakeRequired {
		t.Errorf("%+v", r)
	}
}

// deadLetters are the reasons of those that are kept.
func deadLetters(t testing.TB, js jetstream.JetStream) (reasons []string) {
	t.Helper()
	stream, err := js.Stream(t.Context(), "OC_BUS_DEAD")
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); seq <= stream.CachedInfo().State.LastSeq; seq++ {
		m, err := stream.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		reasons = append(reasons, m.Header.Get("Oc-Reason"))
	}
	return reasons
}

func keepDeadLetters(t testing.TB, js jetstream.JetStream) {
	t.Helper()
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OC_BUS_DEAD", Subjects: []string{"oc.dead.>"}}); err != nil {
		t.Fatal(err)
	}
}

// TestWhatMeansNothing is kept as a dead letter, and stops nobody.
func TestWhatMeansNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	keepDeadLetters(t, a.js)
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	raw := func(sequence uint64, kind, payload string) {
		t.Helper()
		frame, err := envelope.Serializer{}.Serialize(&envelope.EncodedMessage{
			Header: envelope.Header{Type: kind, Source: n.ledger, Sequence: sequence, Previous: sequence - 1}, Payload: []byte(payload),
		})
		if err != nil {
			t.Fatal(err)
		}
		n.publish(t, frame)
	}
	raw(1, nclprotocol.TypeExecutionChanged, `{"execution_id":"x","state":"queued"}`)
	raw(2, "Novelty", `{}`)
	raw(3, nclprotocol.TypeExecutionChanged, `[]`)
	raw(4, nclprotocol.TypeExecutionChanged, `{"execution_id":"x","state":"exploded"}`)
	raw(5, nclprotocol.TypeExecutionChanged, `{"execution_id":"y","state":"queued"}`)
	raw(6, nclprotocol.TypeExecutionChanged, `{"execution_id":"x","state":"running"}`)
	handledUpTo(t, a, "n", 6)
	becomes(t, a, "x", "running")
	becomes(t, a, "y", "queued")
	if got := fmt.Sprint(deadLetters(t, a.js)); got != "[type payload refused]" {
		t.Error(got)
	}
}

// TestWhatCannotBeRead might be any event: the node sends it again, and when that does not help it is given up.
func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	keepDeadLetters(t, a.js)
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	n.record(changed("x1", "queued"), changed("x2", "queued"), changed("x3", "queued"))
	for range 2 {
		n.publish(t, []byte{1, 2, 3}) // instead of event 1
		frame, err := n.frame(2, 1)
		if err != nil {
			t.Fatal(err)
		}
		n.publish(t, frame)
		asksForHandshake(t, n, "missing")
		n.accepted(t)
	}
	n.publish(t, []byte{1, 2, 3})
	n.sent = 1
	n.sendAll(t)
	handledUpTo(t, a, "n", 3)
	becomes(t, a, "x3", "queued")
	if got := fmt.Sprint(deadLetters(t, a.js)); got != "[damaged damaged damaged]" {
		t.Error(got)
	}
}

func TestLedgers(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	n := newNode(t, nc, "n")
	n.interval = time.Second
	n.accepted(t)
	n.record(changed("x1", "queued"), changed("x2", "queued"), changed("x3", "queued"))
	n.sendAll(t)
	handledUpTo(t, a, "n", 3)

	restored := newNode(t, nc, "n")
	restored.ledger = n.ledger
	restored.record(changed("x1", "queued"))
	refused(t, restored.handshake(t), "restored from a copy")

	reborn := newNode(t, nc, "n")
	reborn.record(changed("y1", "queued"), changed("y1", "running"))
	stale, err := reborn.frame(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	n.publish(t, stale) // of a ledger that no handshake has named
	n.record(changed("x4", "queued"))
	n.sendAll(t)
	handledUpTo(t, a, "n", 4)
	if r := reborn.succeeds(t); r.LastNodeSequence != 0 {
		t.Errorf("%+v", r)
	}
	reborn.sendAll(t)
	if c := handledUpTo(t, a, "n", 2); c.Ledger != reborn.ledger {
		t.Errorf("%+v", c)
	}
	becomes(t, a, "y1", "running")
	for i := range 4 { // which the present ledger does not know
		becomes(t, a, fmt.Sprintf("x%d", i+1), "failed")
	}
}

// TestTheStreamOfEventsIsMadeAnew by an operator, under replicas that read it.
func TestTheStreamOfEventsIsMadeAnew(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	n.record(changed("x1", "queued"), changed("x2", "queued"))
	n.sendAll(t)
	handledUpTo(t, a, "n", 2)
	if err := a.js.DeleteStream(t.Context(), nclprotocol.OutStream); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it is back", func() bool { _, err := a.js.Stream(t.Context(), nclprotocol.OutStream); return err == nil })
	n.record(changed("x3", "queued"))
	n.sendAll(t)
	handledUpTo(t, a, "n", 3)
	becomes(t, a, "x3", "queued")
}

// TestAStrangersEvents are nobody's: it has never introduced itself.
func TestAStrangersEvents(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	stranger, n := newNode(t, nc, "stranger"), newNode(t, nc, "n")
	stranger.ledger = rand.Text()
	stranger.record(changed("x1", "queued"))
	stranger.sendAll(t)
	n.accepted(t)
	n.record(changed("x2", "queued"))
	n.sendAll(t)
	handledUpTo(t, a, "n", 1)
	if c, revision, err := a.store.Executions.Cursor(t.Context(), "stranger"); err != nil || revision != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if r := stranger.accepted(t); r.LastNodeSequence != 0 {
		t.Errorf("%+v", r)
	}
	stranger.sendAll(t)
	becomes(t, a, "x1", "queued")
}

// TestAGapOfAnEarlierSession asks for nothing: the present session began after it.
func TestAGapOfAnEarlierSession(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	settled(t, a, "a")
	b := startReplica(t, srv, "b")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	n.record(changed("x1", "queued"), changed("x2", "queued"), changed("x3", "queued"))
	a.kill(t) // who held everything a moment ago: what comes now is read later
	frame, err := n.frame(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	n.publish(t, frame)
	n.accepted(t)
	n.sendAll(t)
	handledUpTo(t, b, "n", 3)
	if r := n.beat(t); r.HandshakeRequired {
		t.Errorf("%+v", r)
	}
}
