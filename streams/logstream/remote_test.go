package logstream_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
)

// onClock is over with a clock that the test moves.
func onClock(nc *nats.Conn, clock clockwork.Clock) wire {
	return wire{logstream.Client{Conn: nc, Clock: clock}}
}

// pass lets time pass, up to a bound, until a call has returned.
func pass(t *testing.T, clock *clockwork.FakeClock, bound time.Duration, call func()) {
	t.Helper()
	const step = 250 * time.Millisecond
	done := make(chan struct{})
	go func() { defer close(done); call() }()
	natstest.Eventually(t, "time changes something", func() bool {
		if bound > 0 {
			bound -= step
			clock.Advance(step)
		}
		return isClosed(done)
	})
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	clock := clockwork.NewFakeClock()
	pass(t, clock, time.Hour, func() {
		_, err := onClock(s.Connect(t), clock).OpenLog(t.Context(), logstream.Request{ExecutionID: "ex"})
		if !errors.Is(err, logstream.ErrNodeGone) {
			t.Errorf("OpenLog = %v", err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := over(s.Connect(t)).OpenLog(ctx, logstream.Request{ExecutionID: "ex"}); !errors.Is(err, context.Canceled) {
		t.Errorf("OpenLog = %v, when its context has ended", err)
	}
}

// TestANodeThatIsGoneIsSeen holds that a reader hears within 10 s of a node that ended without a word.
func TestANodeThatIsGoneIsSeen(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	proxy := natstest.StartProxy(t, s.Addr())
	far, err := nats.Connect(proxy.URL(), nats.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	listen(t, logstream.ListenerConfig{Conn: far, Server: newEndless()})
	clock := clockwork.NewFakeClock()
	r := open(t, onClock(s.Connect(t), clock), logstream.Request{ExecutionID: "ex", Follow: true})
	proxy.Cut()
	pass(t, clock, time.Hour, func() { expectEnd(t, r, logstream.ErrNodeGone) })
}

// TestAnOwnOutageIsWaitedFor holds that a reader does not take its own loss of NATS for the node's,
// and that it does not wait for ever.
func TestAnOwnOutageIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	files := newFiles(t, logstream.FilesConfig{})
	out := create(t, files, "ex")
	far := s.Connect(t)
	listen(t, logstream.ListenerConfig{Conn: far, Server: files})
	clock := clockwork.NewFakeClock()
	nc := s.Connect(t)
	r := open(t, onClock(nc, clock), logstream.Request{ExecutionID: "ex", Follow: true})
	s.Stop()
	natstest.Eventually(t, "the loss is seen", func() bool { return !nc.IsConnected() })
	for range 20 {
		clock.Advance(time.Second)
	}
	s.Restart(t)
	natstest.Eventually(t, "both are back", func() bool { return nc.IsConnected() && far.IsConnected() })
	write(t, out.Stdout(), "still here")
	pass(t, clock, 7*time.Second, func() { expect(t, r, "still here") })
	s.Stop()
	pass(t, clock, time.Hour, func() { expectEnd(t, r, logstream.ErrLost) })
}

func TestFaultsOfAClient(t *testing.T) {
	t.Parallel()
	_, err := logstream.Client{Outage: -1}.Open(t.Context(), "a\n", logstream.Request{})
	for _, want := range []string{"Conn is missing", "a duration is negative", "control character", "execution id"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell of %q", err, want)
		}
	}
}

// TestAnEndAtOnceIsNoFault holds that output may be over before the reader has looked.
func TestAnEndAtOnceIsNoFault(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	end := frame(t, "LogEnd", 1, `{"code":"end"}`)
	var answer atomic.Pointer[[][]byte]
	handNode(t, s.Connect(t), toOpen(func() [][]byte { return *answer.Load() }))
	client := over(s.Connect(t))
	for range 50 {
		for want, all := range map[string][][]byte{
			"":    {end}, // the sign of life before it was lost
			"one": {chunkFrame(t, 1, "one", 3), frame(t, "LogEnd", 2, `{"code":"end"}`)},
		} {
			answer.Store(&all)
			if got := readAll(t, open(t, client, logstream.Request{ExecutionID: "ex"})); got != want {
				t.Errorf("read %q, want %q", got, want)
			}
		}
	}
}

// TestANodeMayComeLater holds that a question that nobody heard is asked again.
func TestANodeMayComeLater(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	nc := s.Connect(t)
	sub, err := nc.SubscribeSync(nclprotocol.LogSubject(node))
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	clock := clockwork.NewFakeClock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r, err := onClock(s.Connect(t), clock).OpenLog(t.Context(), logstream.Request{ExecutionID: "ex"})
		if err != nil {
			t.Error(err)
			return
		}
		_ = r.Close()
	}()
	if _, err := sub.NextMsg(patience); err != nil {
		t.Error(err)
	}
	listen(t, logstream.ListenerConfig{Conn: nc, Server: newEndless()})
	pass(t, clock, logstream.DefaultAnswerWithin-time.Second, func() { <-done })
}
