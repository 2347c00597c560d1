package orchestrator_test

import (
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// TestAnIDProvesThePeer: with rights to the subjects of an id comes the right to speak for its peer, and for no other.
func TestAnIDProvesThePeer(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	startReplica(t, srv, "a", func(c *orchestrator.Config) { c.ProvenPeers = true })
	nc := srv.Connect(t)
	for nodeID, peers := range map[string]map[string]bool{
		"north":     {"north": true, "": true, "south": false, "nor": false},
		"north.2":   {"north": true, "north.2": true, "north.": false, "south": false},
		"north.2.b": {"north": true, "north.2": true},
		"northern":  {"north": false},
		"a.north":   {"north": false, "a": true},
	} {
		for peer, proven := range peers {
			n := newNode(t, nc, nodeID)
			n.peer = peer
			switch r := n.handshake(t); {
			case proven && !r.Accepted && !strings.Contains(r.Reason, "waits for approval") && !strings.Contains(r.Reason, "another program"):
				t.Errorf("%s of %q: %+v", nodeID, peer, r)
			case !proven:
				refused(t, r, "proves nothing")
			}
		}
	}
}

// TestAnUpdateProvesThePeer, too; so does a session from before that was asked for.
func TestAnUpdateProvesThePeer(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	startReplica(t, srv, "a", func(c *orchestrator.Config) { c.ProvenPeers = true })
	n := newNode(t, srv.Connect(t), "north")
	n.peer = "north"
	n.accepted(t)
	n.peer = "south"
	answer, err := n.ask(t.Context(), nclprotocol.UpdateNodeInfoRequest{NodeInfo: n.info()})
	if r, ok := answer.(*nclprotocol.UpdateNodeInfoResponse); err != nil || !ok || r.Accepted || !strings.Contains(r.Reason, "proves nothing") {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestASessionFromBeforeProvesThePeer: who was let in as another peer's ends when a replica asks for proof.
func TestASessionFromBeforeProvesThePeer(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	lax := startReplica(t, srv, "lax")
	n := newNode(t, srv.Connect(t), "north")
	n.peer = "south"
	n.accepted(t)
	lax.stop(t)
	startReplica(t, srv, "strict", func(c *orchestrator.Config) { c.ProvenPeers = true })
	required(t, n.beat(t), "proves nothing")
}
