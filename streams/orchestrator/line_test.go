package orchestrator_test

import (
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/nclprotocol"
)

func changed(id string, state nclprotocol.ExecutionState) nclprotocol.ExecutionChanged {
	return nclprotocol.ExecutionChanged{ExecutionID: id, State: state, At: time.Now()}
}

// becomes waits until a replica shows an execution in a state.
func becomes(t testing.TB, r *replica, id string, state execution.State) execution.Execution {
	t.Helper()
	var e kv.Entry[execution.Execution]
	natstest.Eventually(t, fmt.Sprintf("%s is %s", id, state), func() bool {
		e, _ = r.store.Executions.View().Get(id)
		return e.Value.State == state
	})
	return e.Value
}

func nodeBecomes(t testing.TB, r *replica, id string, state store.NodeState) store.NodeRecord {
	t.Helper()
	var n kv.Entry[store.NodeRecord]
	natstest.Eventually(t, fmt.Sprintf("%s is %s", id, state), func() bool {
		n, _ = r.store.Nodes.View().Get(id)
		return n.Value.State == state
	})
	return n.Value
}

// TestTheWholeLine goes from the handshake to effects, and back by an order.
func TestTheWholeLine(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a, b := startReplica(t, srv, "a"), startReplica(t, srv, "b")
	settled(t, a, "a", "b")
	n := newNode(t, srv.Connect(t), "node.1")
	if r := n.accepted(t); r.LastNodeSequence != 0 || r.StartSchedulerSequence != 1 {
		t.Errorf("%+v", r)
	}
	nodeBecomes(t, b, "node.1", store.NodeConnected)
	of := execution.Of{RunID: "r-1", ItemID: "align", Attempt: 2}
	if _, err := a.Orders.Execute(t.Context(), "node.1", execution.Order{ExecutionID: "x1", Of: of, Command: []string{"true"}}); err != nil {
		t.Fatal(err)
	}
	becomes(t, b, "x1", execution.Ordered)
	n.record(changed("x1", "queued"), changed("x2", "queued"), changed("x1", "running"), changed("x1", "completed"))
	n.sendAll(t)
	for _, r := range []*replica{a, b} {
		if e := becomes(t, r, "x1", execution.Completed); e.NodeID != "node.1" || e.Of != of || e.OrderedAt.IsZero() || e.StartedAt.IsZero() || e.Event.Sequence != 4 {
			t.Errorf("%+v", e)
		}
		becomes(t, r, "x2", execution.Queued)
	}
	natstest.Eventually(t, "the heartbeat tells how far the events were handled", func() bool {
		return n.beat(t).LastNodeSequence == 4
	})
	if r := n.accepted(t); r.LastNodeSequence != 4 {
		t.Errorf("%+v", r)
	}
}
