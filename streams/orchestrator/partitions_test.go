package orchestrator_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
)

// stir has each node tell of some more executions, and waits until all is handled.
func stir(t *testing.T, by *replica, nodes []*node, round int) {
	t.Helper()
	for _, n := range nodes {
		for i := range 20 {
			n.record(changed(fmt.Sprintf("%s-%d-%d", n.id, round, i), "queued"))
		}
		n.sendAll(t)
	}
	for _, n := range nodes {
		handledUpTo(t, by, n.id, uint64(20*round))
	}
}

// TestPartitionsFollowTheReplicas: spread evenly, handed over at once, and taken over after a death.
func TestPartitionsFollowTheReplicas(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	settled(t, a, "a")
	nodes := make([]*node, 8)
	nc := srv.Connect(t)
	for i := range nodes {
		nodes[i] = newNode(t, nc, fmt.Sprintf("n%d", i))
		nodes[i].accepted(t)
	}
	stir(t, a, nodes, 1)
	b, c := startReplica(t, srv, "b"), startReplica(t, srv, "c")
	settled(t, a, "a", "b", "c")
	stir(t, a, nodes, 2)

	began := time.Now()
	b.drain(t)
	natstest.Eventually(t, "what b held is taken", func() bool { return holders(a)["a"]+holders(a)["c"] == 32 })
	t.Logf("handed over within %v", time.Since(began))
	stir(t, a, nodes, 3)

	began = time.Now()
	c.kill(t)
	stir(t, a, nodes, 4)
	t.Logf("taken over within %v, with a lease of %v", time.Since(began), leaseTTL)
	settled(t, a, "a")

	startReplica(t, srv, "c") // again, under the same name
	settled(t, a, "a", "c")
	stir(t, a, nodes, 5)
}

// TestAHungHolder comes back to find that others were faster.
func TestAHungHolder(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	proxy := natstest.StartProxy(t, srv.Addr())
	a := startReplica(t, srv, "a")
	b := startReplica(t, proxied{proxy}, "b")
	settled(t, a, "a", "b")
	nodes := make([]*node, 8)
	nc := srv.Connect(t)
	for i := range nodes {
		nodes[i] = newNode(t, nc, fmt.Sprintf("n%d", i))
		nodes[i].accepted(t)
	}
	stir(t, a, nodes, 1)
	proxy.Hold()
	stir(t, a, nodes, 2)
	proxy.Reset()
	settled(t, b, "a", "b")
	stir(t, b, nodes, 3)
}

// proxied is a server that is reached through a proxy.
type proxied struct{ *natstest.Proxy }

func (p proxied) Connect(tb testing.TB, opts ...nats.Option) *nats.Conn {
	tb.Helper()
	nc, err := nats.Connect(p.URL(), append([]nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(nc.Close)
	return nc
}
