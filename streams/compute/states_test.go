package compute_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// stateLog notes states.
type stateLog struct {
	mu     sync.Mutex
	states []nclprotocol.ConnectionState
}

func (l *stateLog) note(s nclprotocol.ConnectionState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states = append(l.states, s)
}

func (l *stateLog) seen() []nclprotocol.ConnectionState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.states)
}

var roundTrip = []nclprotocol.ConnectionState{nclprotocol.Connecting, nclprotocol.Connected, nclprotocol.Disconnected}

func newManager(tb testing.TB, s *natstest.Server) *compute.ConnectionManager {
	tb.Helper()
	startOrchestrator(tb, s, "n1", &memory{}, nil)
	cm, err := compute.NewConnectionManager(configure(tb, s.URL(), "n1", &worker{}, watcher.NewMemoryStore()))
	if err != nil {
		tb.Fatal(err)
	}
	return cm
}

func TestHandlersSeeEachStateOnceInOrder(t *testing.T) {
	t.Parallel()
	cm := newManager(t, natstest.Start(t))
	var first, second stateLog
	cm.OnStateChange(first.note)
	cm.OnStateChange(func(nclprotocol.ConnectionState) { panic("a handler") })
	cm.OnStateChange(func(s nclprotocol.ConnectionState) {
		if have := cm.GetHealth().CurrentState; have != s {
			t.Errorf("told %v, health says %v", s, have)
		}
		if !slices.Equal(first.seen(), append(second.seen(), s)) {
			t.Error("handlers are not called in the order of their registration")
		}
		second.note(s)
	})
	if err := cm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	connected(t, cm)
	stop(t, cm)
	if !slices.Equal(first.seen(), roundTrip) || !slices.Equal(second.seen(), roundTrip) {
		t.Errorf("handlers saw %v and %v", first.seen(), second.seen())
	}
}

// A handler may close its manager in any state; what is left to be told is told.
func TestCloseFromHandler(t *testing.T) {
	t.Parallel()
	for i, state := range roundTrip[:2] {
		t.Run(state.String(), func(t *testing.T) {
			t.Parallel()
			cm := newManager(t, natstest.Start(t))
			var log stateLog
			inside := make(chan error, 1)
			cm.OnStateChange(func(s nclprotocol.ConnectionState) {
				log.note(s)
				if s == state {
					inside <- cm.Close(context.Background())
				}
			})
			if err := cm.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-inside; err != nil {
				t.Error(err)
			}
			want := append(slices.Clone(roundTrip[:i+1]), nclprotocol.Disconnected)
			natstest.Eventually(t, "the last state", func() bool { return slices.Equal(log.seen(), want) })
			stop(t, cm)
			if !slices.Equal(log.seen(), want) {
				t.Errorf("saw %v, want %v", log.seen(), want)
			}
		})
	}
}
