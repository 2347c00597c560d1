package orchestrator_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/prometheus/client_golang/prometheus"

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
	began := time.Now()
	natstest.Eventually(t, "it has lived longer than it may be silent", func() bool {
		if r := n.beat(t); r.HandshakeRequired {
			t.Fatalf("%+v", r)
		}
		return time.Since(began) > n.interval*time.Duration(n.factor+1)
	})
	for _, r := range replicas {
		if l := nodeBecomes(t, r, "n", store.NodeLost); l.Reason == "" {
			t.Errorf("%+v", l)
		}
	}
	lost := 0.0
	for _, r := range reg {
		lost += counted(t, r, "oc_scheduler_nodes_lost_total")
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

// counted is the value of a counter.
func counted(t testing.TB, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// TestAnOutageOfOursIsNobodysDeath: every pulse ends while NATS is away. Nodes get their full time again.
func TestAnOutageOfOursIsNobodysDeath(t *testing.T) {
	t.Parallel()
	var dir string
	srv := natstest.Start(t, func(o *server.Options) { dir = o.StoreDir })
	a, b := startReplica(t, srv, "a"), startReplica(t, srv, "b")
	n, silent := newNode(t, srv.Connect(t), "n"), newNode(t, srv.Connect(t), "silent")
	for _, n := range []*node{n, silent} {
		n.interval, n.factor = time.Second, 3
		n.accepted(t)
		nodeBecomes(t, b, n.id, store.NodeConnected)
	}
	srv.Stop()
	beside := natstest.Start(t, func(o *server.Options) { o.StoreDir = dir }) // which no replica reaches
	pulses, err := beside.JetStream(t).Stream(t.Context(), "KV_"+store.LivenessBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := pulses.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	beside.Stop()
	srv.Restart(t)
	for _, r := range []*replica{a, b} {
		natstest.Eventually(t, "the pulses have ended", func() bool {
			v := r.store.Liveness.View()
			return v.Current() && v.Len() == 0
		})
	}
	natstest.Eventually(t, "somebody answers", func() bool { r, err := n.tryBeat(t.Context()); return err == nil && !r.HandshakeRequired })
	for _, r := range []*replica{a, b} {
		natstest.Eventually(t, "silent is lost, and n is not", func() bool {
			n.beat(t)
			e, _ := r.store.Nodes.View().Get("silent")
			return e.Value.State == store.NodeLost
		})
		if e, _ := r.store.Nodes.View().Get("n"); e.Value.State != store.NodeConnected || e.Value.Generation != 1 {
			t.Errorf("%+v", e.Value)
		}
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
