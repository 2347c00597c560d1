package compute_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

func openLedger(tb testing.TB, path string) *watcher.BoltStore {
	tb.Helper()
	store, err := watcher.OpenBolt(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = store.Close(context.Background()) })
	return store
}

func TestNodeRestartedOnItsLedger(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	w, m, path := &worker{}, &memory{}, filepath.Join(t.TempDir(), "ledger")
	o := startOrchestrator(t, s, "n1", m, nil)
	for life := range 3 {
		store := openLedger(t, path)
		produce(t, store, 40*life+1, 40*life+20) // while not connected
		o.send(2*life + 1)
		cm := start(t, unhurried(configure(t, s.URL(), "n1", w, store)))
		produce(t, store, 40*life+21, 40*life+40)
		o.send(2*life + 2)
		handled(t, m, 40*life+40)
		ordered(t, w, 2*life+2)
		stop(t, cm)
		if err := store.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	m.look(func(m *memory) {
		if m.duplicates != 0 || m.goodbyes != 3 {
			t.Errorf("%d duplicates, %d goodbyes", m.duplicates, m.goodbyes)
		}
	})
}

// What the node forgot, the scheduler knows, and the other way round; what both forgot comes again.
func TestCheckpointWiped(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		nodeForgets, schedulerForgets bool
		again                         int // orders that come again
	}{
		"the node's":      {nodeForgets: true},
		"the scheduler's": {schedulerForgets: true},
		"both":            {nodeForgets: true, schedulerForgets: true, again: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
			o := startOrchestrator(t, s, "n1", m, nil)
			first := start(t, configure(t, s.URL(), "n1", w, store))
			for n := 1; n <= 3; n++ {
				o.send(n)
			}
			ordered(t, w, 3)
			stop(t, first)
			c, again := configure(t, s.URL(), "n1", &worker{}, store), &worker{}
			c.DataPlaneMessageHandler = again
			if tc.nodeForgets {
				c.Checkpointer = &forgetful{}
			}
			remembers := uint64(3) // as a heartbeat would have told; a goodbye may be lost
			if tc.schedulerForgets {
				remembers = 0
			}
			m.look(func(m *memory) { m.acknowledged = remembers })
			start(t, c)
			o.send(4)
			natstest.Eventually(t, "the last order", func() bool {
				seen := again.seen()
				return len(seen) > 0 && seen[len(seen)-1] == 4
			})
			if have := len(again.seen()) - 1; have != tc.again {
				t.Errorf("%d orders came again, want %d: %v", have, tc.again, again.seen())
			}
		})
	}
}

// forgetful is a Checkpointer that begins empty.
type forgetful struct{ last uint64 }

func (f *forgetful) Checkpoint(_ context.Context, _ string, sequence uint64) error {
	f.last = sequence
	return nil
}

func (f *forgetful) GetCheckpoint(context.Context, string) (uint64, error) { return f.last, nil }

// A new ledger has another id: its events are no duplicates of those of the old one, though numbered
// alike.
func TestLedgerReplaced(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	w, m := &worker{}, &memory{}
	startOrchestrator(t, s, "n1", m, nil)
	for life := range 2 {
		store := watcher.NewMemoryStore()
		cm := start(t, configure(t, s.URL(), "n1", w, store))
		produce(t, store, 10*life+1, 10*life+10)
		handled(t, m, 10*life+10)
		stop(t, cm)
	}
	m.look(func(m *memory) {
		if a, b := m.handshakes[0].Ledger, m.handshakes[1].Ledger; a == b || m.lastNode != 10 {
			t.Errorf("ledgers %q and %q, last event %d", a, b, m.lastNode)
		}
	})
}

// A ledger that was restored from a backup would give numbers a second time: the node is refused.
func TestLedgerRestored(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
	startOrchestrator(t, s, "n1", m, nil)
	produce(t, store, 1, 5)
	m.look(func(m *memory) { m.ledger, m.lastNode = store.LedgerID(), 9 })
	cm := start(t, configure(t, s.URL(), "n1", w, store))
	natstest.Eventually(t, "the reason", func() bool {
		refused, is := errors.AsType[*ncl.RefusedError](cm.GetHealth().LastError)
		return is && strings.Contains(refused.Reason, "back in time")
	})
}

// A scheduler that takes a ledger for longer than it is does not make the node skip what comes next.
func TestSchedulerIsAheadOfTheLedger(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m, store := &memory{}, watcher.NewMemoryStore()
	startOrchestrator(t, s, "n1", m, func(r *nclprotocol.HandshakeRequest) error {
		r.NewestSequence = 9
		m.look(func(m *memory) { m.ledger, m.lastNode = r.Ledger, 9 })
		return nil
	})
	produce(t, store, 1, 5)
	cm := start(t, configure(t, s.URL(), "n1", &worker{}, store))
	natstest.Eventually(t, "the node sees it before it handles an order", func() bool {
		err := cm.GetHealth().LastError
		return errors.Is(err, dispatcher.ErrAhead) && strings.HasPrefix(err.Error(), "handshake: ")
	})
}
