package orchestrator_test

import (
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// TestANodeThatMovesWaitsForApproval: it was approved as one of another peer.
func TestANodeThatMovesWaitsForApproval(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n, nobodys := newNode(t, srv.Connect(t), "n"), newNode(t, srv.Connect(t), "nobodys")
	n.peer, nobodys.peer = "north", ""
	n.accepted(t)
	n.accepted(t) // as what it was
	nobodys.accepted(t)
	nobodys.peer = "north"
	nobodys.accepted(t) // it names its first one
	waits := func(r *nclprotocol.HandshakeResponse) {
		t.Helper()
		refused(t, r, "waits for approval")
		soon(t, r)
	}

	n.peer = "south"
	waits(n.handshake(t))
	if r := nodeBecomes(t, a, "n", store.NodeGone); r.Membership != store.Pending || r.PeerID() != "south" || !strings.Contains(r.Reason, `"north"`) {
		t.Errorf("%+v", r)
	}
	n.peer = "north"
	waits(n.handshake(t)) // who has moved away does not come back by himself
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	n.accepted(t)

	n.peer = "east"
	answer, err := n.ask(t.Context(), nclprotocol.UpdateNodeInfoRequest{NodeInfo: n.info()})
	if r, ok := answer.(*nclprotocol.UpdateNodeInfoResponse); err != nil || !ok || r.Accepted || !r.HandshakeRequired || r.Reason != "the node is pending" {
		t.Errorf("%+v, %v", answer, err)
	}
	nodeBecomes(t, a, "n", store.NodeGone)
	required(t, n.beat(t), "pending")
	waits(n.handshake(t))
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	n.accepted(t)
	if r := nodeBecomes(t, a, "n", store.NodeConnected); r.PeerID() != "east" {
		t.Errorf("%+v", r)
	}
}

// TestARivalMovesNobody: a second program under a node's id does not cost the first its approval.
func TestARivalMovesNobody(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n, rival := newNode(t, srv.Connect(t), "n"), newNode(t, srv.Connect(t), "n")
	rival.peer = "elsewhere"
	n.accepted(t)
	refused(t, rival.handshake(t), "another program is connected")
	if r := a.record(t, "n"); r.Membership != store.Approved || r.State != store.NodeConnected {
		t.Errorf("%+v", r)
	}
}

// TestApprovedByHandAsNobodys: where an operator approves nodes, he approves each one's peer.
func TestApprovedByHandAsNobodys(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a", func(c *orchestrator.Config) { c.ManualApproval = true })
	n := newNode(t, srv.Connect(t), "n")
	n.peer = ""
	refused(t, n.handshake(t), "approval")
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	n.accepted(t)
	n.peer = "north"
	refused(t, n.handshake(t), "approval")
}

// TestAGoodbyeOfANodeThatOffers leaves the planner of its peer, which is composed of what the others offer.
func TestAGoodbyeOfANodeThatOffers(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.peer = "peer-a"
	n.accepted(t)
	plan(t, a, "peer-a")
	if r := n.offer(t, 1, instances(1)); !r.Accepted {
		t.Fatalf("%+v", r)
	}
	if _, err := n.ask(t.Context(), nclprotocol.ShutdownNoticeRequest{}); err != nil {
		t.Fatal(err)
	}
	nodeBecomes(t, a, "n", store.NodeGone)
	if _, _, err := a.store.Planners.Raw(t.Context(), "peer-a"); err != nil {
		t.Errorf("the planner has gone: %v", err)
	}
	a.offers(t, "n", 1)
	if err := a.Members.Remove(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	a.offers(t, "n", 0)
}
