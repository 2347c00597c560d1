package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// TestAThousandNodesComeAtOnce, as after an outage: all are let in, at a bounded rate.
func TestAThousandNodesComeAtOnce(t *testing.T) {
	const perSecond, herd = 50, 1000
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a", func(c *orchestrator.Config) { c.HandshakesPerSecond = perSecond })
	for _, name := range []string{"b", "c"} {
		startReplica(t, srv, name, func(c *orchestrator.Config) { c.HandshakesPerSecond = perSecond })
	}
	conns := make([]*nats.Conn, 10)
	for i := range conns {
		conns[i] = srv.Connect(t)
	}
	began := time.Now()
	var all sync.WaitGroup
	for i := range herd {
		n := newNode(t, conns[i%len(conns)], fmt.Sprintf("n%d", i))
		n.interval = 15 * time.Second
		all.Go(func() {
			for insist(t.Context(), n) != nil {
				pause(t.Context(), time.Second+rand.N(time.Second))
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	t.Logf("%d nodes are back after %v", herd, took)
	if saved := 3 * perSecond / 5; took < time.Duration(herd-saved)*time.Second/(3*perSecond) {
		t.Error("they were let in faster than that")
	}
	natstest.Eventually(t, "all are connected", func() bool {
		n := 0
		for _, item := range a.store.Nodes.View().Page("", 2*herd) {
			if item.Value.State == store.NodeConnected {
				n++
			}
		}
		return n == herd
	})
}

// TestWhoseTurnComesLateComesAgain: what is left of its time would not do for a handshake.
func TestWhoseTurnComesLateComesAgain(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	startReplica(t, srv, "a", func(c *orchestrator.Config) { c.HandshakesPerSecond = 0.2 })
	nc := srv.Connect(t)
	if err := insist(t.Context(), newNode(t, nc, "first")); err != nil {
		t.Fatal(err)
	}
	if err := insist(t.Context(), newNode(t, nc, "second")); err == nil {
		t.Error("its turn came after 5 s of the 8 that it has")
	}
}

// insist is one try of a handshake, as a node makes it.
func insist(ctx context.Context, n *node) error {
	within, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := n.tryHandshake(within)
	if err == nil && !r.Accepted {
		err = errors.New(r.Reason)
	}
	return err
}

// TestMemoryOfANode is what a connected node, whose events are handled and which offers hardly anything, costs
// a replica.
func TestMemoryOfANode(t *testing.T) {
	cluster := natstest.StartProcesses(t, 3) // whose memory is not counted
	a := startReplica(t, cluster, "a", func(c *orchestrator.Config) { c.HandshakesPerSecond = 10_000 })
	settled(t, a, "a")
	nc := cluster.Connect(t)
	come := func(i int) error {
		n := newNode(t, nc, fmt.Sprintf("node-%d", i))
		if err := insist(t.Context(), n); err != nil {
			return err
		}
		if _, err := n.tryBeat(t.Context()); err != nil {
			return err
		}
		offer := nclprotocol.OfferRequest{Sequence: 1, Offer: json.RawMessage(`{}`)}
		if _, err := n.tryOffer(t.Context(), n.session, offer); err != nil {
			return err
		}
		n.record(changed("execution", "queued"))
		_, err := n.send(t.Context())
		return err
	}
	if err := come(0); err != nil { // what is made once
		t.Fatal(err)
	}
	handledUpTo(t, a, "node-0", 1)
	const some = 200
	before := heap()
	var all errgroup.Group
	all.SetLimit(20)
	for i := range some {
		all.Go(func() error { return come(i + 1) })
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range some {
		handledUpTo(t, a, fmt.Sprintf("node-%d", i+1), 1)
		a.offers(t, fmt.Sprintf("node-%d", i+1), 0)
	}
	if n := a.store.Offers.View().Len(); n != some+1 {
		t.Errorf("%d offers", n)
	}
	each := (heap() - before) / some
	t.Logf("%d bytes each", each)
	if each > 8<<10 {
		t.Errorf("a node costs %d bytes", each)
	}
	runtime.KeepAlive(a)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
