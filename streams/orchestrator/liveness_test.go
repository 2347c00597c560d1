package orchestrator_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/orchestrator"
)

// TestASilentNodeIsLostOnce in the views of all replicas, and its late heartbeats change nothing.
func TestASilentNodeIsLostOnce(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	reg := [3]*prometheus.Registry{}
	var replicas [3]*replica
	for i := range replicas {
		reg[i] = prometheus.NewRegistry()
		replicas[i] = startReplica(t, srv, string(rune('a'+i)), func(c *orchestrator.Config) { c.Metrics = reg[i] })
	}
	n := newNode(t, srv.Connect(t), "n")
	n.interval, n.factor = 500*time.Millisecond, 4
	natstest.Eventually(t, "somebody answers", func() bool { _, err := n.tryHandshake(t.Context()); return err == nil })
	for range 6 { // longer than it may be silent
		time.Sleep(n.interval) // a node's own pace
		if r := n.beat(t); r.HandshakeRequired {
			t.Fatalf("%+v", r)
		}
	}
	for _, r := range replicas {
		if l := nodeBecomes(t, r, "n", store.NodeLost); l.Reason == "" {
			t.Errorf("%+v", l)
		}
	}
	lost := 0.0
	for _, r := range reg {
		if n, err := testutil.GatherAndCount(r, "oc_scheduler_nodes_lost_total"); err != nil || n != 1 {
			t.Error(n, err)
		}
		families, err := r.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() == "oc_scheduler_nodes_lost_total" {
				lost += f.GetMetric()[0].GetCounter().GetValue()
			}
		}
	}
	if lost != 1 {
		t.Errorf("it was lost %v times", lost)
	}
	required(t, n.beat(t), "lost")
	if r, err := replicas[0].store.Nodes.Get(t.Context(), "n"); err != nil || r.State != store.NodeLost {
		t.Errorf("%+v, %v", r, err)
	}
	n.accepted(t)
	if r := nodeBecomes(t, replicas[1], "n", store.NodeConnected); r.Generation != 2 {
		t.Errorf("%+v", r)
	}
}

// neverLost watches a view; what is returned says whether a node was ever shown as lost.
func neverLost(r *replica, id string) func() bool {
	lost := make(chan struct{}, 1)
	r.store.Nodes.View().OnChange(func(of string) {
		if e, ok := r.store.Nodes.View().Get(of); ok && of == id && e.Value.State == store.NodeLost {
			select {
			case lost <- struct{}{}:
			default:
			}
		}
	})
	return func() bool { return len(lost) == 0 }
}

// TestAnOutageOfOursIsNobodysDeath: every key runs out while NATS is away, and no node is lost.
func TestAnOutageOfOursIsNobodysDeath(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a, b := startReplica(t, srv, "a"), startReplica(t, srv, "b")
	n, silent := newNode(t, srv.Connect(t), "n"), newNode(t, srv.Connect(t), "silent")
	for _, n := range []*node{n, silent} {
		n.interval, n.factor = 500*time.Millisecond, 4
	}
	silent.accepted(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); n.live(ctx) }()
	defer func() { cancel(); <-done }()
	nodeBecomes(t, a, "n", store.NodeConnected)
	ok := neverLost(b, "n")
	srv.Stop()
	time.Sleep(3 * time.Second) // longer than the nodes may be silent
	srv.Restart(t)
	nodeBecomes(t, a, "silent", store.NodeLost) // so all that was to be lost by then is
	nodeBecomes(t, b, "silent", store.NodeLost)
	if e, _ := b.store.Nodes.View().Get("n"); e.Value.State != store.NodeConnected || !ok() {
		t.Errorf("%+v", e.Value)
	}
}

// TestLostWhileNobodyLooked: the first replica that comes says so, after the node's time.
func TestLostWhileNobodyLooked(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.interval, n.factor = 500*time.Millisecond, 2
	n.accepted(t)
	nodeBecomes(t, a, "n", store.NodeConnected)
	a.kill(t)
	js := srv.JetStream(t)
	kv, err := js.KeyValue(t.Context(), store.LivenessBucket)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "its pulse ends", func() bool { _, err := kv.Get(t.Context(), "n"); return err != nil })
	nodeBecomes(t, startReplica(t, srv, "b"), "n", store.NodeLost)
}
