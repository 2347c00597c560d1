package orchestrator_test

import (
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
)

var goodbye = nclprotocol.ShutdownNoticeRequest{Reason: "maintenance"}

// refusedAs waits until the record of a node names a program that was refused.
func refusedAs(t *testing.T, r *replica, n *node, reason string) {
	t.Helper()
	natstest.Eventually(t, "it is on record", func() bool {
		entry, _ := r.store.Nodes.View().Get(n.id)
		away := entry.Value.Refused
		return away != nil && away.Ledger == n.ledger && away.StartedAt.Equal(n.started) && strings.Contains(away.Reason, reason)
	})
}

// TestTwoPrograms under one node id: the second one is refused while the first one is heard of, and let in at the
// word of an operator; then it is the first one that is refused.
func TestTwoPrograms(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a, b := startReplica(t, srv, "a"), startReplica(t, srv, "b")
	nc := srv.Connect(t)
	first, second := newNode(t, nc, "n"), newNode(t, nc, "n")
	second.started = first.started.Add(time.Second)
	first.accepted(t)
	for range 3 {
		r := second.handshake(t)
		refused(t, r, "another program is connected as this node, with ledger "+first.ledger)
		if r.RetryAfter <= 0 {
			t.Error("it is not told when to ask again")
		}
		if beat := first.beat(t); beat.HandshakeRequired {
			t.Errorf("%+v", beat)
		}
		first.accepted(t) // a new session of the same program
	}
	refusedAs(t, a, second, "another program")
	refusedAs(t, b, second, "another program")
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	second.accepted(t)
	asksForHandshake(t, first, "another session")
	refused(t, first.handshake(t), "another program")
	refusedAs(t, b, first, "another program")
	if beat := second.beat(t); beat.HandshakeRequired {
		t.Errorf("%+v", beat)
	}
	if err := a.Members.Remove(t.Context(), "n"); err != nil { // who comes first is in
		t.Fatal(err)
	}
	first.accepted(t)
	refused(t, second.handshake(t), "another program")
}

// TestAnApprovedProgramMayBeRestarted before it asks again: it is the same one, by its ledger.
func TestAnApprovedProgramMayBeRestarted(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	first, second, third := newNode(t, nc, "n"), newNode(t, nc, "n"), newNode(t, nc, "n")
	first.accepted(t)
	refused(t, second.handshake(t), "another program")
	refusedAs(t, a, second, "another program")
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	refused(t, third.handshake(t), "another program") // whom nobody meant
	restarted := newNode(t, nc, "n")
	restarted.ledger, restarted.started = second.ledger, second.started.Add(time.Second)
	restarted.accepted(t)
	asksForHandshake(t, first, "another session")
	refused(t, first.handshake(t), "another program")
}

// TestAPulseOfAnOvertakenHandshake: a handshake that was judged before another program took its place leaves its
// pulse, and is refused after that; it opens no way in.
func TestAPulseOfAnOvertakenHandshake(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	first, second := newNode(t, nc, "n"), newNode(t, nc, "n")
	first.accepted(t)
	if _, err := a.store.Liveness.Beat(t.Context(), "n", store.Pulse{Session: "overtaken"}, time.Minute); err != nil {
		t.Fatal(err)
	}
	refused(t, second.handshake(t), "another program")
}

// TestACopyOfALedger: a program that comes again after one with the same ledger took its place has a copy; one
// that was restarted has not.
func TestACopyOfALedger(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	var programs [3]*node
	for i := range programs {
		programs[i] = newNode(t, nc, "n")
		programs[i].ledger = programs[0].ledger
		programs[i].started = programs[0].started.Add(time.Duration(i) * time.Second)
		programs[i].accepted(t)
	}
	for _, p := range programs[:2] {
		asksForHandshake(t, p, "another session")
		refused(t, p.handshake(t), "a copy of this one's ledger")
		refusedAs(t, a, p, "a copy")
	}
	programs[2].accepted(t) // it lost its connection
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	programs[1].accepted(t)
	refused(t, programs[2].handshake(t), "a copy")
	if _, err := programs[1].ask(t.Context(), goodbye); err != nil {
		t.Fatal(err)
	}
	nodeBecomes(t, a, "n", store.NodeGone)
	programs[2].accepted(t)
}

// TestAWipedNode waits for the end of its own old session, and no longer.
func TestAWipedNode(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	old, wiped := newNode(t, nc, "n"), newNode(t, nc, "n")
	old.interval, old.factor = time.Second, 3
	old.accepted(t)
	refused(t, wiped.handshake(t), "this one's disk is new")
	wiped.succeeds(t)
	natstest.Eventually(t, "the view shows the new disk", func() bool {
		n, _ := a.store.Nodes.View().Get("n")
		r := n.Value
		return r.State == store.NodeConnected && r.Ledger == wiped.ledger && r.Refused == nil && r.Generation == 2
	})
	if _, err := wiped.ask(t.Context(), goodbye); err != nil { // at once when it is known to be over
		t.Fatal(err)
	}
	again := newNode(t, nc, "n")
	again.accepted(t)
}
