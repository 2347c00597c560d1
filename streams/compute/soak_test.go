package compute_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// world is a node and its scheduler, to which everything happens.
type world struct {
	t      *testing.T
	server *natstest.Server
	proxy  *natstest.Proxy // between the node and NATS
	memory *memory
	worker *worker
	store  watcher.EventStore
	node   *compute.ConnectionManager
	o      *orchestrator
	events int
	orders int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, server: natstest.Start(t), memory: &memory{}, worker: &worker{}, store: watcher.NewMemoryStore()}
	w.proxy = natstest.StartProxy(t, w.server.Addr())
	w.o = startOrchestrator(t, w.server, "n1", w.memory, nil)
	w.startNode()
	return w
}

func (w *world) startNode() {
	w.t.Helper()
	c := configure(w.t, w.proxy.URL(), "n1", w.worker, w.store)
	c.RequestTimeout, c.HeartbeatMissFactor = time.Second, 20
	w.node = start(w.t, c)
}

// endNode ends the node: on purpose, or so fast that nobody is told.
func (w *world) endNode(onPurpose bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if !onPurpose {
		w.proxy.Flap()
	}
	_ = w.node.Close(ctx) // with a link that is cut it may well fail
}

func (w *world) produce() {
	n := 1 + rand.IntN(20)
	produce(w.t, w.store, w.events+1, w.events+n)
	w.events += n
}

func (w *world) order() {
	for range 1 + rand.IntN(5) {
		w.orders++
		w.o.send(w.orders)
	}
}

func (w *world) restartNATS() {
	w.server.Stop()
	natstest.Eventually(w.t, "the loss is seen", func() bool { return !w.o.js.Conn().IsConnected() })
	w.server.Restart(w.t)
	natstest.Eventually(w.t, "the stream is back", func() bool {
		_, err := w.o.js.Stream(w.t.Context(), nclprotocol.InStream)
		return err == nil
	})
}

func (w *world) restartScheduler() {
	w.o.stop()
	w.produce()
	w.o = startOrchestrator(w.t, w.server, "n1", w.memory, nil)
}

func (w *world) misfortune() string {
	kinds := []struct {
		name string
		do   func()
	}{
		{"link flaps", w.proxy.Flap},
		{"link hangs", func() { w.proxy.Hold(); w.produce(); w.order(); w.proxy.Reset() }},
		{"NATS restarts", w.restartNATS},
		{"scheduler restarts", w.restartScheduler},
		{"session is forgotten", func() { w.memory.look(func(m *memory) { m.session = "" }) }},
		{"orders are forgotten", func() { w.memory.look(func(m *memory) { m.acknowledged = 0 }) }},
		{"events are forgotten", func() { w.memory.look(func(m *memory) { m.lastNode /= 2; m.gap = true }) }},
		{"node restarts", func() { w.endNode(true); w.startNode() }},
		{"node dies", func() { w.endNode(false); w.startNode() }},
		{"peace", func() { connected(w.t, w.node) }},
	}
	kind := kinds[rand.IntN(len(kinds))]
	kind.do()
	return kind.name
}

// firsts is what came for the first time. It fails unless that is 1, 2, 3 …: all, and in order.
func (w *world) firsts(what string, numbers []int) int {
	w.t.Helper()
	last := 0
	for _, n := range numbers {
		if n > last+1 {
			w.t.Fatalf("%s %d came before %d", what, n, last+1)
		}
		last = max(last, n)
	}
	return last
}

// Whatever happens, in whatever order: no event and no order is lost, and all keep their order. What
// comes twice came before.
func TestMisfortunes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 12 {
		w.produce()
		w.order()
		t.Log(w.misfortune())
	}
	natstest.Eventually(t, "all events and orders", func() bool {
		var events []int
		w.memory.look(func(m *memory) {
			for _, h := range m.handled {
				events = append(events, h.N)
			}
		})
		return w.firsts("event", events) == w.events && w.firsts("order", w.worker.seen()) == w.orders
	})
}
