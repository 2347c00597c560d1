package orchestrator_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

func many(n int) nclprotocol.Amounts {
	a := nclprotocol.Amounts{}
	for i := range n {
		a[fmt.Sprint(i)] = 1
	}
	return a
}

// TestHeartbeatsAreBounded: what they say is in the memory of all replicas.
func TestHeartbeatsAreBounded(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	for name, tc := range map[string]struct {
		free nclprotocol.Amounts
		ok   bool
	}{
		"as many as may be": {many(64), true},
		"more":              {many(65), false},
		"the longest name":  {nclprotocol.Amounts{strings.Repeat("x", 128): 1}, true},
		"longer":            {nclprotocol.Amounts{strings.Repeat("x", 129): 1}, false},
	} {
		for _, r := range []nclprotocol.HeartbeatRequest{{Free: tc.free}, {Queued: tc.free}} {
			_, err := n.ask(t.Context(), r)
			if _, no := errors.AsType[*ncl.RefusedError](err); no == tc.ok || err != nil && !no {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if r := n.beat(t); r.HandshakeRequired {
		t.Errorf("%+v", r)
	}
}

// TestOneNodeLeavesRoomForOthers, however often it asks, and whatever it was told.
func TestOneNodeLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a", func(c *orchestrator.Config) { c.HandshakesPerSecond = 0.01 }) // one turn, that is
	n := newNode(t, srv.Connect(t), "rejected")
	n.accepted(t)
	if _, err := a.Members.Reject(t.Context(), n.id); err != nil {
		t.Fatal(err)
	}
	nodeBecomes(t, a, n.id, store.NodeGone)
	for range 4 {
		refused(t, n.handshake(t), "rejected")
	}
	turns, busy := 0, 0
	for range 50 {
		switch _, err := n.tryHandshake(t.Context()); {
		case err == nil:
			turns++
		case strings.Contains(err.Error(), "too often"):
			busy++
		default:
			t.Fatal(err)
		}
	}
	if busy < 40 {
		t.Errorf("it had %d turns, and was refused %d times", turns, busy)
	}
}
