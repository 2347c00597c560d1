package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jonboulle/clockwork"
	"pgregory.net/rapid"

	"oc-scheduler/streams/nclprotocol"
)

var errScripted = errors.New("scripted")

// scripted makes links as a test says. It stands for all that is between the state machine and NATS.
type scripted struct {
	verdicts chan error // of attempts that wait
	waiting  bool       // an attempt does
	current  *scriptedLink
	opened   int
	closed   int
	goodbyes int
}

type scriptedLink struct {
	owner *scripted
	ended chan error
}

func (s *scripted) connect(life, _ context.Context) (link, error) {
	s.waiting = true
	defer func() { s.waiting = false }()
	select {
	case err := <-s.verdicts:
		if err != nil {
			return nil, err
		}
	case <-life.Done():
		return nil, life.Err()
	}
	s.opened++
	s.current = &scriptedLink{s, make(chan error, 1)}
	return s.current, nil
}

func (l *scriptedLink) lost() <-chan error { return l.ended }

func (l *scriptedLink) close(_ context.Context, onPurpose bool) error {
	l.owner.closed++
	if onPurpose {
		l.owner.goodbyes++
	}
	l.owner.current = nil
	return nil
}

// machine is a manager on a fake clock with scripted links, and the model of what it must do.
type machine struct {
	clock *clockwork.FakeClock
	links *scripted
	cm    *ConnectionManager
	seen  []nclprotocol.ConnectionState // by a handler

	state     nclprotocol.ConnectionState
	want      []nclprotocol.ConnectionState
	failures  int
	lastBeat  time.Time
	since     time.Time
	hasty     bool // the attempt without backoff is used up
	wakeAt    time.Time
	closed    bool
	lastError error
}

const (
	modelInterval = 10 * time.Second
	modelBackoff  = time.Minute
	modelBeat     = 15 * time.Second
	modelMisses   = 3
)

func newMachine(t *rapid.T) *machine {
	m := &machine{clock: clockwork.NewFakeClock(), links: &scripted{verdicts: make(chan error)}}
	cfg := testConfig()
	cfg.Clock = m.clock
	cfg.ReconnectInterval, cfg.HeartbeatInterval, cfg.HeartbeatMissFactor = modelInterval, modelBeat, modelMisses
	cfg.ReconnectBackoff = backoff.NewConstantBackOff(modelBackoff)
	cm, err := NewConnectionManager(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m.cm, cm.connect = cm, m.links.connect
	cm.pace.jitter = func(longest time.Duration) time.Duration { return longest }
	cm.OnStateChange(func(s nclprotocol.ConnectionState) {
		m.seen = append(m.seen, s)
		if have := cm.GetHealth().CurrentState; have != s {
			t.Errorf("handler told %v while health says %v", s, have)
		}
	})
	if err := cm.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	m.enter(nclprotocol.Connecting)
	return m
}

func (m *machine) enter(s nclprotocol.ConnectionState) {
	m.state = s
	m.want = append(m.want, s)
}

func (m *machine) lose(connected bool, err error) {
	now := m.clock.Now()
	if connected && now.Sub(m.since) >= modelInterval {
		m.hasty = false
	}
	m.wakeAt = now.Add(modelBackoff)
	if connected && !m.hasty {
		m.wakeAt, m.hasty = now.Add(modelInterval/jitterShare), true
	}
	m.failures++
	m.lastError = err
	m.enter(nclprotocol.Disconnected)
}

func (m *machine) verdict(err error) func(*rapid.T) {
	return func(t *rapid.T) {
		if m.closed || m.state != nclprotocol.Connecting {
			t.Skip("nobody connects")
		}
		m.links.verdicts <- err
		if err != nil {
			m.lose(false, err)
			return
		}
		m.since, m.lastBeat, m.failures, m.lastError = m.clock.Now(), m.clock.Now(), 0, nil
		m.enter(nclprotocol.Connected)
	}
}

// whileConnected is an event that ends a connection, and is without effect otherwise.
func (m *machine) whileConnected(do func(), reason error) func(*rapid.T) {
	return func(t *rapid.T) {
		if m.state != nclprotocol.Connected {
			t.Skip("not connected")
		}
		do()
		m.lose(true, reason)
	}
}

func (m *machine) advance(t *rapid.T) {
	m.clock.Advance(rapid.SampledFrom([]time.Duration{
		time.Millisecond, modelInterval/jitterShare - 1, modelInterval / jitterShare, modelInterval, modelBeat, modelBeat*modelMisses - 1, modelBackoff,
	}).Draw(t, "advance"))
	now := m.clock.Now()
	switch {
	case m.closed:
	case m.state == nclprotocol.Connected && now.Sub(m.lastBeat) >= modelBeat*modelMisses:
		m.lose(true, ErrHeartbeatsMissed)
	case m.state == nclprotocol.Disconnected && !now.Before(m.wakeAt):
		m.enter(nclprotocol.Connecting)
	}
}

func (m *machine) heartbeat(*rapid.T) {
	m.cm.health.HeartbeatSuccess()
	m.lastBeat = m.clock.Now()
}

func (m *machine) handlerReenters(*rapid.T) {
	m.cm.OnStateChange(func(nclprotocol.ConnectionState) {
		m.cm.OnStateChange(func(nclprotocol.ConnectionState) { panic("a handler") })
		m.cm.GetHealth()
	})
}

func (m *machine) close(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "close?") != 9 {
		t.Skip("later: little happens after it")
	}
	if err := m.cm.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !m.closed && m.state != nclprotocol.Disconnected {
		m.enter(nclprotocol.Disconnected)
	}
	m.closed = true
}

func (m *machine) check(t *rapid.T) {
	synctest.Wait()
	h := m.cm.GetHealth()
	if h.CurrentState != m.state || h.ConsecutiveFailures != m.failures {
		t.Fatalf("%v with %d failures, want %v with %d", h.CurrentState, h.ConsecutiveFailures, m.state, m.failures)
	}
	if !slices.Equal(m.seen, m.want) {
		t.Fatalf("handler saw %v, want %v", m.seen, m.want)
	}
	if up := m.state == nclprotocol.Connected; up != (m.links.current != nil) || up == h.ConnectedSince.IsZero() {
		t.Fatalf("%v, link %v, connected since %v", m.state, m.links.current, h.ConnectedSince)
	}
	if m.state == nclprotocol.Disconnected && !m.closed && !errors.Is(h.LastError, m.lastError) {
		t.Fatalf("last error %v, want %v", h.LastError, m.lastError)
	}
	if m.state == nclprotocol.Connecting && !m.closed && !m.links.waiting {
		t.Fatal("nobody connects")
	}
}

// bubble is a test inside a bubble of package synctest, where nobody may ask for its deadline.
type bubble struct{ *testing.T }

func (bubble) Deadline() (time.Time, bool) { return time.Time{}, false }

func TestStateMachine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(t *rapid.T) {
			m := newMachine(t)
			defer func() {
				if err := m.cm.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}()
			t.Repeat(map[string]func(*rapid.T){
				"":                   m.check,
				"accept":             m.verdict(nil),
				"fail":               m.verdict(fmt.Errorf("attempt: %w", errScripted)),
				"lose":               m.whileConnected(func() { m.links.current.ended <- errScripted }, errScripted),
				"handshake required": m.whileConnected(m.cm.health.HandshakeRequired, ErrHandshakeRequired),
				"advance":            m.advance,
				"heartbeat":          m.heartbeat,
				"re-enter":           m.handlerReenters,
				"close":              m.close,
			})
		})
	})
}

// The manager waits for handlers: nothing goes on while one runs.
func TestHandlersAreSynchronous(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cm, err := NewConnectionManager(testConfig())
		if err != nil {
			t.Fatal(err)
		}
		links := &scripted{verdicts: make(chan error)}
		cm.connect = links.connect
		release := make(chan struct{})
		cm.OnStateChange(func(nclprotocol.ConnectionState) { <-release })
		if err := cm.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if links.waiting {
			t.Error("an attempt before the handler has returned")
		}
		close(release)
		synctest.Wait()
		if !links.waiting {
			t.Error("no attempt after the handler has returned")
		}
		if err := cm.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
