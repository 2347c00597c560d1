package compute_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// wild is all that a node brings along. One of its calls does not return, some times.
type wild struct {
	nclprotocol.ClientFactory
	nclprotocol.NodeInfoProvider
	nclprotocol.Checkpointer
	envelope.MessageSerializer
	backoff.BackOff

	call  string
	out   func()
	times atomic.Int32 // how often it still leaves
	left  atomic.Int32 // how often it has
}

func (w *wild) leave(call string) {
	if call == w.call && w.times.Add(-1) >= 0 {
		w.left.Add(1)
		w.out()
	}
}

func (w *wild) CreateClient(ctx context.Context) (*nats.Conn, error) {
	w.leave("CreateClient")
	return w.ClientFactory.CreateClient(ctx)
}

func (w *wild) GetNodeInfo(ctx context.Context) nclprotocol.NodeInfo {
	w.leave("GetNodeInfo")
	return w.NodeInfoProvider.GetNodeInfo(ctx)
}

func (w *wild) Checkpoint(ctx context.Context, name string, sequence uint64) error {
	w.leave("Checkpoint")
	return w.Checkpointer.Checkpoint(ctx, name, sequence)
}

func (w *wild) GetCheckpoint(ctx context.Context, name string) (uint64, error) {
	w.leave("GetCheckpoint")
	return w.Checkpointer.GetCheckpoint(ctx, name)
}

func (w *wild) NextBackOff() time.Duration {
	w.leave("NextBackOff")
	return w.BackOff.NextBackOff()
}

func (w *wild) Reset() {
	w.leave("Reset")
	w.BackOff.Reset()
}

// wildStore is a ledger that leaves as w says.
type wildStore struct {
	watcher.EventStore
	w *wild
}

func (s wildStore) LedgerID() string {
	s.w.leave("LedgerID")
	return s.EventStore.LedgerID()
}

func (s wildStore) GetLatestEventNum(ctx context.Context) (uint64, error) {
	s.w.leave("GetLatestEventNum")
	return s.EventStore.GetLatestEventNum(ctx)
}

func (s wildStore) GetEvents(ctx context.Context, r watcher.GetEventsRequest) ([]watcher.Event, error) {
	s.w.leave("GetEvents")
	return s.EventStore.GetEvents(ctx, r)
}

func (s wildStore) Changed() <-chan struct{} {
	s.w.leave("Changed")
	return s.EventStore.Changed()
}

func (s wildStore) StoreCheckpoint(ctx context.Context, name string, seqNum uint64) error {
	s.w.leave("StoreCheckpoint")
	return s.EventStore.StoreCheckpoint(ctx, name, seqNum)
}

var calls = []string{
	"CreateClient", "GetNodeInfo", "Checkpoint", "GetCheckpoint", "NextBackOff", "Reset",
	"LedgerID", "GetLatestEventNum", "GetEvents", "Changed", "StoreCheckpoint", "a state handler",
}

var waysOut = map[string]func(){
	"panic":  func() { panic("somebody else's fault") },
	"goexit": runtime.Goexit,
}

// TestNothingThatPanicsEndsANode: whatever call does not return, it is a failure of that attempt.
func TestNothingThatPanicsEndsANode(t *testing.T) {
	t.Parallel()
	for way, out := range waysOut {
		for _, call := range calls {
			t.Run(way+" in "+call, func(t *testing.T) {
				t.Parallel()
				w := &wild{call: call, out: out}
				w.times.Store(2)
				survives(t, w)
			})
		}
	}
}

func survives(t *testing.T, w *wild) {
	t.Helper()
	s := natstest.Start(t)
	m, hands, store := &memory{}, &worker{}, watcher.NewMemoryStore()
	o := startOrchestrator(t, s, "n1", m, func(*nclprotocol.HandshakeRequest) error {
		if w.call == "NextBackOff" && w.left.Load() < 2 {
			return errors.New("try again later")
		}
		return nil
	})
	c := configure(t, s.URL(), "n1", hands, wildStore{store, w})
	c.DispatcherConfig.CheckpointInterval = 10 * time.Millisecond
	w.ClientFactory, w.NodeInfoProvider, w.Checkpointer, w.BackOff = c.ClientFactory, hands, c.Checkpointer, c.ReconnectBackoff
	c.ClientFactory, c.NodeInfoProvider, c.Checkpointer, c.ReconnectBackoff = w, w, w, w
	cm, err := compute.NewConnectionManager(c)
	if err != nil {
		t.Fatal(err)
	}
	cm.OnStateChange(func(nclprotocol.ConnectionState) { w.leave("a state handler") })
	if err := cm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, cm) })
	produce(t, store, 1, 3)
	o.send(1)
	if w.call == "Reset" { // as a loss does
		natstest.Eventually(t, "it was lost twice", func() bool {
			m.look(func(m *memory) { m.session = "another" })
			return w.left.Load() == 2
		})
	}
	handled(t, m, 3)
	ordered(t, hands, 1)
	natstest.Eventually(t, "all that leaves has left", func() bool { return w.left.Load() == 2 })
	connected(t, cm)
}

// TestAProviderThatPanicsIsNamed in what the node says of its connection, at first and later on.
func TestAProviderThatPanicsIsNamed(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	startOrchestrator(t, s, "n1", &memory{}, nil)
	w := &wild{call: "GetNodeInfo", out: func() { panic("no idea") }, NodeInfoProvider: &worker{}}
	w.times.Store(1 << 30)
	c := configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore())
	c.NodeInfoProvider, c.RequestTimeout, c.HeartbeatMissFactor = w, time.Second, 20
	cm := start(t, c)
	panicked := func(err error) bool {
		_, is := errors.AsType[*guard.PanicError](err)
		return is && strings.Contains(err.Error(), "no idea")
	}
	natstest.Eventually(t, "why it can't connect", func() bool { return panicked(cm.GetHealth().LastError) })
	w.times.Store(0)
	connected(t, cm)
	lost := make(chan error, 1) // it connects anew at once, and fails otherwise: the handler sees it in time
	cm.OnStateChange(func(state nclprotocol.ConnectionState) {
		if state != nclprotocol.Disconnected {
			return
		}
		select {
		case lost <- cm.GetHealth().LastError:
		default:
		}
	})
	w.times.Store(1 << 30)
	if err := <-lost; !panicked(err) || !errors.Is(err, compute.ErrHeartbeatsMissed) {
		t.Errorf("lost: %v", err)
	}
}

// hasty handles the second order, and leaves the others in every way.
type hasty struct{ worker }

func (h *hasty) HandleMessage(ctx context.Context, m *envelope.Message) error {
	switch m.Payload.(*order).N {
	case 1:
		return h.worker.HandleMessage(ctx, m)
	case 2:
		runtime.Goexit()
	}
	panic("what?")
}

// TestOrdersThatAreGivenUpAreCounted over all sessions.
func TestOrdersThatAreGivenUpAreCounted(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m, h := &memory{}, &hasty{}
	o := startOrchestrator(t, s, "n1", m, nil)
	c := configure(t, s.URL(), "n1", &h.worker, watcher.NewMemoryStore())
	c.DataPlaneMessageHandler = h
	cm := start(t, c)
	for _, n := range []int{3, 2, 1} {
		o.send(n)
	}
	ordered(t, &h.worker, 1)
	if n := cm.GetHealth().OrdersGivenUp; n != 2 {
		t.Errorf("%d orders are given up", n)
	}
	m.look(func(m *memory) { m.session = "another" })
	natstest.Eventually(t, "another session", func() bool { return m.sessions() > 1 })
	o.send(4)
	natstest.Eventually(t, "another one", func() bool { return cm.GetHealth().OrdersGivenUp == 3 })
}
