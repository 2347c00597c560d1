package compute_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

func TestRefusalThenAcceptance(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m := &memory{}
	refuse := make(chan struct{})
	startOrchestrator(t, s, "n1", m, func(*nclprotocol.HandshakeRequest) error {
		select {
		case <-refuse:
			return nil
		default:
			return errors.New("not approved yet")
		}
	})
	cm := start(t, configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore()))
	natstest.Eventually(t, "refusals", func() bool { return m.sessions() >= 3 })
	natstest.Eventually(t, "the reason", func() bool {
		h := cm.GetHealth()
		refused, is := errors.AsType[*ncl.RefusedError](h.LastError)
		return is && refused.Reason == "not approved yet" && h.ConsecutiveFailures >= 2
	})
	close(refuse)
	connected(t, cm)
	if h := cm.GetHealth(); h.LastError != nil || h.ConsecutiveFailures != 0 {
		t.Errorf("health %+v", h)
	}
}

// A replica that never answers costs one attempt.
func TestHandshakeHangs(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m, over := &memory{}, make(chan struct{})
	startOrchestrator(t, s, "n1", m, func(*nclprotocol.HandshakeRequest) error {
		if m.sessions() == 1 {
			<-over
		}
		return nil
	})
	t.Cleanup(func() { close(over) })
	c := configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore())
	c.RequestTimeout = 500 * time.Millisecond
	cm := start(t, c)
	natstest.Eventually(t, "the first attempt is given up", func() bool {
		return errors.Is(cm.GetHealth().LastError, context.DeadlineExceeded)
	})
	connected(t, cm)
}

func TestUnknownVersion(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	refuseVersion(t, s.Connect(t), "n1")
	cm := start(t, configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore()))
	natstest.Eventually(t, "the reason", func() bool {
		refused, is := errors.AsType[*ncl.RefusedError](cm.GetHealth().LastError)
		return is && strings.Contains(refused.Reason, "speaks version 2")
	})
}

func TestNATSRestart(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
	o := startOrchestrator(t, s, "n1", m, nil)
	cm := start(t, configure(t, s.URL(), "n1", w, store))
	connected(t, cm)
	produce(t, store, 1, 50)
	o.send(1)
	ordered(t, w, 1)
	handled(t, m, 50)
	for round := 1; round <= 3; round++ {
		s.Stop()
		natstest.Eventually(t, "the loss is seen", func() bool {
			return cm.GetHealth().CurrentState != nclprotocol.Connected && !o.js.Conn().IsConnected()
		})
		produce(t, store, 50*round+1, 50*round+50)
		s.Restart(t)
		natstest.Eventually(t, "the stream is back", func() bool {
			_, err := o.js.Stream(t.Context(), nclprotocol.InStream)
			return err == nil
		})
		o.send(round + 1)
		ordered(t, w, round+1)
		handled(t, m, 50*round+50)
	}
}

// A link that the client library mends by itself is a new session all the same.
func TestLinkFlaps(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	proxy := natstest.StartProxy(t, s.Addr())
	w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
	o := startOrchestrator(t, s, "n1", m, nil)
	c := configure(t, proxy.URL(), "n1", w, store)
	c.ClientFactory = patientClient(proxy.URL())
	cm := start(t, c)
	connected(t, cm)
	for n := 1; n <= 5; n++ {
		sessions := m.sessions()
		proxy.Flap()
		produce(t, store, n, n)
		o.send(n)
		natstest.Eventually(t, "another session", func() bool { return m.sessions() > sessions })
		handled(t, m, n)
		ordered(t, w, n)
	}
}

// A link that swallows everything is noticed by the heartbeats.
func TestBlackHole(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	proxy := natstest.StartProxy(t, s.Addr())
	w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
	o := startOrchestrator(t, s, "n1", m, nil)
	c := configure(t, proxy.URL(), "n1", w, store)
	c.RequestTimeout, c.HeartbeatMissFactor = time.Second, 20
	cm := start(t, c)
	connected(t, cm)
	proxy.Hold()
	produce(t, store, 1, 20)
	o.send(1)
	natstest.Eventually(t, "missed heartbeats", func() bool {
		return cm.GetHealth().CurrentState != nclprotocol.Connected
	})
	proxy.Reset()
	handled(t, m, 20)
	ordered(t, w, 1)
}

func TestSchedulerGoneAndBack(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*memory) *memory{
		"it remembers": func(m *memory) *memory { return m },
		"it forgot":    func(*memory) *memory { return &memory{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
			first := startOrchestrator(t, s, "n1", m, nil)
			c := configure(t, s.URL(), "n1", w, store)
			c.RequestTimeout, c.HeartbeatMissFactor = time.Second, 20
			cm := start(t, c)
			connected(t, cm)
			produce(t, store, 1, 20)
			first.send(1)
			handled(t, m, 20)
			ordered(t, w, 1)
			first.stop()
			natstest.Eventually(t, "missed heartbeats", func() bool { return cm.GetHealth().CurrentState != nclprotocol.Connected })
			produce(t, store, 21, 40)
			first.send(2) // kept by the stream
			m = next(m)
			second := startOrchestrator(t, s, "n1", m, nil)
			second.send(3)
			handled(t, m, 40)
			ordered(t, w, 3)
		})
	}
}

// A scheduler that does not know the session any more asks for another one, at once.
func TestSessionForgotten(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
	startOrchestrator(t, s, "n1", m, nil)
	cm := start(t, configure(t, s.URL(), "n1", w, store))
	connected(t, cm)
	natstest.Eventually(t, "a heartbeat", func() bool { return m.count(func(m *memory) int { return len(m.heartbeats) }) > 0 })
	m.look(func(m *memory) { m.session = "another" })
	natstest.Eventually(t, "another session", func() bool { return m.sessions() == 2 })
	connected(t, cm)
}

// A gap that the scheduler sees is closed: it asks for a handshake, and gets all again from the last
// good event.
func TestGapOfEvents(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
	startOrchestrator(t, s, "n1", m, nil)
	cm := start(t, configure(t, s.URL(), "n1", w, store))
	connected(t, cm)
	produce(t, store, 1, 10)
	handled(t, m, 10)
	m.look(func(m *memory) { m.lastNode, m.handled = 5, m.handled[:5] }) // as if the rest had been lost
	produce(t, store, 11, 12)
	handled(t, m, 12)
}

// A stream that was made anew numbers its messages from 1: the node goes on there, as it is told.
func TestOrdersOfANewStream(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	w, m, store := &worker{}, &memory{}, watcher.NewMemoryStore()
	o := startOrchestrator(t, s, "n1", m, nil)
	cm := start(t, configure(t, s.URL(), "n1", w, store))
	connected(t, cm)
	for n := 1; n <= 5; n++ {
		o.send(n)
	}
	ordered(t, w, 5)
	if err := o.js.DeleteStream(t.Context(), nclprotocol.InStream); err != nil {
		t.Fatal(err)
	}
	if _, err := o.js.CreateStream(t.Context(), nclprotocol.InLayout(1)); err != nil {
		t.Fatal(err)
	}
	o.send(6)
	ordered(t, w, 6)
	natstest.Eventually(t, "a small checkpoint", func() bool {
		last, err := store.GetCheckpoint(t.Context(), "compute.incoming.n1")
		return err == nil && last == 1
	})
}
