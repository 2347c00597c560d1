package compute_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// deaf handles its first message until it is released, whatever becomes of the context.
type deaf struct {
	worker
	release chan struct{}
	entered atomic.Int32
	beside  atomic.Int32 // calls while another one runs
	busy    atomic.Bool
}

func (d *deaf) HandleMessage(ctx context.Context, m *envelope.Message) error {
	if !d.busy.CompareAndSwap(false, true) {
		d.beside.Add(1)
	}
	defer d.busy.Store(false)
	if d.entered.Add(1) == 1 {
		<-d.release
	}
	return d.worker.HandleMessage(ctx, m)
}

// A handler that does not let go of a message does not hold up other sessions, nor is it called beside
// itself, nor does what it reports at last make another session skip orders.
func TestHandlerOutlivesItsSession(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m, store := &memory{}, watcher.NewMemoryStore()
	o := startOrchestrator(t, s, "n1", m, nil)
	d := &deaf{release: make(chan struct{})}
	c := configure(t, s.URL(), "n1", &d.worker, store)
	c.DataPlaneMessageHandler = d
	c.RequestTimeout = 500 * time.Millisecond
	for range 9 {
		o.send(0)
	}
	o.memory.look(func(m *memory) { m.acknowledged = 9 })
	o.send(1) // the tenth message of the stream
	cm := start(t, c)
	natstest.Eventually(t, "it is handled", func() bool { return d.entered.Load() == 1 })
	if err := o.js.DeleteStream(t.Context(), nclprotocol.InStream); err != nil {
		t.Fatal(err)
	}
	if _, err := o.js.CreateStream(t.Context(), nclprotocol.InLayout(1)); err != nil {
		t.Fatal(err)
	}
	o.send(2) // the first of another one
	m.look(func(m *memory) { m.session, m.acknowledged = "another", 0 })
	natstest.Eventually(t, "another session", func() bool {
		return m.sessions() == 2 && cm.GetHealth().CurrentState == nclprotocol.Connected
	})
	close(d.release)
	ordered(t, &d.worker, 2)
	o.send(3)
	ordered(t, &d.worker, 3)
	if d.beside.Load() > 0 {
		t.Error("called beside itself")
	}
}
