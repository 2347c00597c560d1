package orchestrator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/nclprotocol"
)

// litter writes into all that is kept of nodes what is no value there.
func litter(t *testing.T, r *replica, data string, subjects ...string) {
	t.Helper()
	for _, subject := range subjects {
		if _, err := r.js.Publish(t.Context(), subject, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGarbageInAllBuckets, as a reply subject can lead it there: partitions, cursors and records heal, and
// nobody is let in, or lives, by it.
func TestGarbageInAllBuckets(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	settled(t, a, "a")
	nc := srv.Connect(t)
	n, out, silent := newNode(t, nc, "n"), newNode(t, nc, "out"), newNode(t, nc, "silent")
	silent.interval = time.Second
	for _, n := range []*node{n, out, silent} {
		n.accepted(t)
		nodeBecomes(t, a, n.id, store.NodeConnected)
	}
	if _, err := a.Members.Reject(t.Context(), "out"); err != nil {
		t.Fatal(err)
	}
	nodeBecomes(t, a, "out", store.NodeGone)
	var all []string
	for _, id := range []string{"n", "out", "silent"} {
		all = append(all, "$KV.nodes."+id, "$KV.liveness."+id, "oc.cursor."+id)
	}
	for p := range 32 {
		all = append(all, fmt.Sprintf("$KV.partitions.%02d", p))
	}
	all = append(all, "$KV.replicas.a", "$KV.replicas.nobody", "$KV.executions.x1")
	told := 0
	for _, data := range []string{"?", `{"stream":"OC_COMPUTE_OUT","seq":3}`} {
		litter(t, a, data, all...)
		refused(t, out.handshake(t), "rejected")
		told++
		n.record(changed(fmt.Sprintf("x%d", told), "queued"))
		natstest.Eventually(t, "events are handled", func() bool {
			if n.beat(t).HandshakeRequired {
				n.handshake(t)
			}
			n.sendAll(t)
			c, _, err := a.store.Executions.Cursor(t.Context(), "n")
			return err == nil && c.Ledger == n.ledger && c.Sequence == uint64(told)
		})
		becomes(t, a, "x1", execution.Queued)
		settled(t, a, "a")
		natstest.Eventually(t, "the records are mended", func() bool { return len(a.store.Nodes.View().Broken()) == 0 })
	}
	if r := nodeBecomes(t, a, "silent", store.NodeLost); r.Membership != store.Approved {
		t.Errorf("%+v", r)
	}
	if r, err := a.store.Nodes.Get(t.Context(), "out"); err != nil || r.Membership != store.Rejected {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestABrokenRecordThatNobodyRemembers is no newcomer's, though newcomers are let in: it may be that of a
// node that was rejected.
func TestABrokenRecordThatNobodyRemembers(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	litter(t, a, `{"stream":"OC_COMPUTE_OUT","seq":3}`, "$KV.nodes.n")
	n := newNode(t, srv.Connect(t), "n")
	refused(t, n.handshake(t), "waits for approval")
	if r := nodeBecomes(t, a, "n", store.NodeNew); r.Membership != store.Pending || !strings.Contains(r.Reason, "broken") || len(r.Info) == 0 {
		t.Errorf("%+v", r)
	}
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	n.accepted(t)
}

// TestAGoodbyeInAnothersName takes no planner along: neither one that came before the claim, nor that of a
// peer that has an approved node, though that is lost.
func TestAGoodbyeInAnothersName(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	own, liar := newNode(t, nc, "own"), newNode(t, nc, "liar")
	own.peer, own.interval, own.factor = "lost", 500*time.Millisecond, 2
	own.accepted(t)
	nodeBecomes(t, a, "own", store.NodeLost)
	plan(t, a, "alone")
	claim := func(peer string) {
		t.Helper()
		liar.peer = peer
		if !liar.handshake(t).Accepted { // it moves, and an operator believes it
			if _, err := a.Members.Approve(t.Context(), "liar"); err != nil {
				t.Fatal(err)
			}
			liar.accepted(t)
		}
		nodeBecomes(t, a, "liar", store.NodeConnected)
	}
	goodbye := func() {
		t.Helper()
		if _, err := liar.ask(t.Context(), nclprotocol.ShutdownNoticeRequest{}); err != nil {
			t.Fatal(err)
		}
		nodeBecomes(t, a, "liar", store.NodeGone)
	}
	claim("alone")
	goodbye()
	claim("lost")
	plan(t, a, "lost")
	goodbye()
	for _, peer := range []string{"alone", "lost"} {
		if _, _, err := a.store.Planners.Raw(t.Context(), peer); err != nil {
			t.Errorf("the planner of %s: %v", peer, err)
		}
	}
}
