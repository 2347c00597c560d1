package compute_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

func TestStartOnce(t *testing.T) {
	t.Parallel()
	c := configure(t, natstest.Start(t).URL(), "n1", &worker{}, watcher.NewMemoryStore())
	cm := start(t, c)
	if err := cm.Start(t.Context()); !errors.Is(err, compute.ErrStarted) {
		t.Errorf("second Start: %v", err)
	}
	stop(t, cm)
	stop(t, cm)
	if err := cm.Start(t.Context()); !errors.Is(err, compute.ErrClosed) {
		t.Errorf("Start after Close: %v", err)
	}
	unborn, err := compute.NewConnectionManager(c)
	if err != nil {
		t.Fatal(err)
	}
	stop(t, unborn)
	if err := unborn.Start(t.Context()); !errors.Is(err, compute.ErrClosed) {
		t.Errorf("Start after Close without Start: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cm.Start(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("Start with a context that has ended: %v", err)
	}
}

// hang makes something hang; reached says whether it does.
type hang func(t *testing.T, s *natstest.Server, c *compute.Config) (reached func(*compute.ConnectionManager) bool)

var hangs = map[string]hang{
	"a pause": func(_ *testing.T, s *natstest.Server, c *compute.Config) func(*compute.ConnectionManager) bool {
		s.Stop()
		c.ReconnectBackoff, c.ReconnectInterval = nil, time.Hour
		return func(cm *compute.ConnectionManager) bool { return cm.GetHealth().LastError != nil }
	},
	"connecting": func(t *testing.T, s *natstest.Server, c *compute.Config) func(*compute.ConnectionManager) bool {
		t.Helper()
		proxy := natstest.StartProxy(t, s.Addr())
		proxy.Hold()
		c.ClientFactory = nclprotocol.Client{URL: proxy.URL(), NodeID: "n1"}
		return func(*compute.ConnectionManager) bool { return proxy.Links() > 0 }
	},
	"handshake": func(t *testing.T, s *natstest.Server, _ *compute.Config) func(*compute.ConnectionManager) bool {
		t.Helper()
		m, over := &memory{}, make(chan struct{})
		startOrchestrator(t, s, "n1", m, func(*nclprotocol.HandshakeRequest) error {
			<-over
			return errors.New("too late")
		})
		t.Cleanup(func() { close(over) })
		return func(*compute.ConnectionManager) bool { return m.sessions() > 0 }
	},
	"goodbye": func(t *testing.T, s *natstest.Server, c *compute.Config) func(*compute.ConnectionManager) bool {
		t.Helper()
		proxy := natstest.StartProxy(t, s.Addr())
		startOrchestrator(t, s, "n1", &memory{}, nil)
		c.ClientFactory = nclprotocol.Client{URL: proxy.URL(), NodeID: "n1"}
		return func(cm *compute.ConnectionManager) bool {
			if cm.GetHealth().CurrentState != nclprotocol.Connected {
				return false
			}
			proxy.Hold()
			return true
		}
	},
	"a message": func(t *testing.T, s *natstest.Server, c *compute.Config) func(*compute.ConnectionManager) bool {
		t.Helper()
		o := startOrchestrator(t, s, "n1", &memory{}, nil)
		w := &stubborn{entered: make(chan struct{})}
		c.DataPlaneMessageHandler = w
		o.send(1)
		return func(*compute.ConnectionManager) bool {
			select {
			case <-w.entered:
				return true
			default:
				return false
			}
		}
	},
}

// Whatever hangs, Close is through when half of its time has gone, and nothing is left.
func TestCloseWhileSomethingHangs(t *testing.T) {
	t.Parallel()
	for name, begin := range hangs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			c := configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore())
			c.RequestTimeout, c.HeartbeatInterval, c.HeartbeatMissFactor = time.Hour, time.Hour, 2
			reached := begin(t, s, &c)
			cm := start(t, c)
			natstest.Eventually(t, "it hangs", func() bool { return reached(cm) })
			closeIn(t, cm, 2*time.Second)
		})
	}
}

// closeIn wants Close to need no more than its context allows; that is no matter of speed, for what
// hangs would do so for an hour.
func closeIn(tb testing.TB, cm *compute.ConnectionManager, d time.Duration) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if err := cm.Close(ctx); ctx.Err() != nil {
		tb.Errorf("Close used up its time: %v", err)
	}
	if state := cm.GetHealth().CurrentState; state != nclprotocol.Disconnected {
		tb.Errorf("%v after Close", state)
	}
}

// stubborn handles its message until its context ends.
type stubborn struct {
	worker
	once    sync.Once
	entered chan struct{}
}

func (s *stubborn) HandleMessage(ctx context.Context, _ *envelope.Message) error {
	s.once.Do(func() { close(s.entered) })
	<-ctx.Done()
	return ctx.Err()
}

func TestCloseAtRandomMoments(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m := &memory{}
	o := startOrchestrator(t, s, "n1", m, nil)
	store := watcher.NewMemoryStore()
	for round := range 40 {
		produce(t, store, round+1, round+1)
		o.send(round + 1)
		cm := start(t, configure(t, s.URL(), "n1", &worker{}, store))
		after := time.After(rand.N(15 * time.Millisecond))
		<-after
		var both sync.WaitGroup
		both.Go(func() { stop(t, cm) })
		both.Go(func() { stop(t, cm) })
		both.Wait()
	}
	cm := start(t, configure(t, s.URL(), "n1", &worker{}, store))
	handled(t, m, 40)
	stop(t, cm)
}
