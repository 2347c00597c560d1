package orchestrator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/orchestrator"
)

const herd = 1000

// TestAThousandNodesComeAtOnce, as after an outage: all are let in, at a bounded rate.
func TestAThousandNodesComeAtOnce(t *testing.T) {
	t.Parallel()
	const perSecond = 50
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a", func(c *orchestrator.Config) { c.HandshakesPerSecond = perSecond })
	for _, name := range []string{"b", "c"} {
		startReplica(t, srv, name, func(c *orchestrator.Config) { c.HandshakesPerSecond = perSecond })
	}
	conns := make([]*nats.Conn, 10)
	for i := range conns {
		conns[i] = srv.Connect(t)
	}
	var mu sync.Mutex
	var times []time.Time // of acceptance
	began := time.Now()
	var all sync.WaitGroup
	for i := range herd {
		n := newNode(t, conns[i%len(conns)], fmt.Sprintf("n%d", i))
		n.interval = 15 * time.Second
		all.Go(func() {
			for insist(t.Context(), n) != nil {
				pause(t.Context(), time.Second+rand.N(time.Second))
			}
			mu.Lock()
			times = append(times, time.Now())
			mu.Unlock()
		})
	}
	all.Wait()
	slices.SortFunc(times, time.Time.Compare)
	peak := 0
	for i, from := range times {
		end, _ := slices.BinarySearchFunc(times, from.Add(time.Second), time.Time.Compare)
		peak = max(peak, end-i)
	}
	t.Logf("%d nodes are back after %v, at most %d in a second", herd, time.Since(began), peak)
	if peak > 3*perSecond*3/2 { // what was saved up, and what comes in a second
		t.Errorf("%d were let in within a second", peak)
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

// insist is one try of a handshake, as a node makes it.
func insist(ctx context.Context, n *node) error {
	within, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := n.tryHandshake(within)
	if err == nil && !r.Accepted {
		err = errSessionOver
	}
	return err
}

// TestMemoryOfANode is what a connected node, whose events are handled, costs a replica.
func TestMemoryOfANode(t *testing.T) {
	cluster := natstest.StartProcesses(t, 3) // whose memory is not counted
	a := startReplica(t, cluster, "a", func(c *orchestrator.Config) { c.HandshakesPerSecond = 10_000 })
	settled(t, a, "a")
	nc := cluster.Connect(t)
	come := func(i int) {
		n := newNode(t, nc, fmt.Sprintf("node-%d", i))
		n.interval = time.Minute
		n.accepted(t)
		n.beat(t)
		n.record(changed("execution", "queued"))
		n.sendAll(t)
	}
	come(0) // what is made once
	handledUpTo(t, a, "node-0", 1)
	before := heap()
	for i := range herd {
		come(i + 1)
	}
	for i := range herd {
		handledUpTo(t, a, fmt.Sprintf("node-%d", i+1), 1)
	}
	each := (heap() - before) / herd
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
