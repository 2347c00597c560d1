package logstream_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
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

func chunkFrame(t *testing.T, sequence uint64, text string, offset int) []byte {
	t.Helper()
	return frame(t, "LogChunk", sequence, fmt.Sprintf(`{"source":"stdout","data":%q,"offset":%d}`,
		base64.StdEncoding.EncodeToString([]byte(text)), offset))
}

// TestANodeThatErrsForEver holds that a reader hands out what is good, asks again for the rest, and
// gives up some time.
func TestANodeThatErrsForEver(t *testing.T) {
	t.Parallel()
	alive := frame(t, "LogAlive", 0, `{}`)
	var many [][]byte
	for i := range 600 {
		many = append(many, chunkFrame(t, uint64(i+1), "x", i+1))
	}
	for name, answer := range map[string][][]byte{
		"a chunk is missing":         {alive, chunkFrame(t, 2, "second", 12)},
		"the last one is missing":    {frame(t, "LogAlive", 7, `{}`)},
		"the end is too early":       {alive, frame(t, "LogEnd", 7, `{"code":"end"}`)},
		"the offset jumps":           {alive, chunkFrame(t, 1, "first", 50)},
		"a source that is none":      {alive, frame(t, "LogChunk", 1, `{"source":"x","data":"eA==","offset":1}`)},
		"no data":                    {alive, frame(t, "LogChunk", 1, `{"source":"stdout","offset":0}`)},
		"more data than one may":     {alive, chunkFrame(t, 1, strings.Repeat("x", logstream.MaxChunk+1), logstream.MaxChunk+1)},
		"damaged":                    {alive, []byte("\x01nonsense")},
		"no message to a reader":     {alive, frame(t, "LogOpen", 1, `{}`)},
		"unknown stream":             {alive, frame(t, "LogEnd", 1, `{"code":"unknown"}`)},
		"stopping":                   {alive, frame(t, "LogEnd", 1, `{"code":"stopping"}`)},
		"busy later":                 {alive, frame(t, "LogEnd", 1, `{"code":"busy"}`)},
		"a strange type":             {alive, frame(t, "LogStrange", 1, `{}`)},
		"more chunks than one may":   many,
		"an end after what is lost ": {alive, chunkFrame(t, 1, "one", 3), chunkFrame(t, 3, "three", 9), frame(t, "LogEnd", 4, `{"code":"end"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			var asked atomic.Int64
			handNode(t, s.Connect(t), func(string) [][]byte { asked.Add(1); return answer })
			clock := clockwork.NewFakeClock()
			var r logstream.Reader
			var err error
			pass(t, clock, time.Hour, func() {
				r, err = onClock(s.Connect(t), clock).OpenLog(t.Context(), logstream.Request{ExecutionID: "ex", Follow: true})
				for err == nil {
					_, err = next(t, r)
				}
			})
			if r != nil {
				_ = r.Close()
			}
			if !errors.Is(err, logstream.ErrLost) || asked.Load() < 5 {
				t.Errorf("ended with %v, asked %d times", err, asked.Load())
			}
		})
	}
}

// TestWhatIsFinalEndsAtOnce holds that a reader does not ask again where that is of no use.
func TestWhatIsFinalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	var answer atomic.Pointer[[]byte]
	handNode(t, s.Connect(t), func(string) [][]byte { return [][]byte{*answer.Load()} })
	nc := s.Connect(t)
	for name, c := range map[string]struct {
		answer []byte
		is     func(error) bool
	}{
		"not found":     {frame(t, "LogEnd", 1, `{"code":"not_found"}`), func(err error) bool { return errors.Is(err, logstream.ErrNotFound) }},
		"busy":          {frame(t, "LogEnd", 1, `{"code":"busy"}`), isRefused},
		"failed":        {frame(t, "LogEnd", 1, `{"code":"failed"}`), isRefused},
		"from tomorrow": {frame(t, "LogEnd", 1, `{"code":"tomorrow","detail":"?"}`), isRefused},
		"version": {[]byte{9, 9, 9, 9, 9, 9}, func(err error) bool {
			_, other := errors.AsType[*envelope.VersionError](err)
			return other
		}},
	} {
		answer.Store(&c.answer)
		if _, err := over(nc).OpenLog(t.Context(), logstream.Request{ExecutionID: "ex"}); !c.is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestADuplicateIsDropped holds that a chunk that comes twice is handed out once.
func TestADuplicateIsDropped(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	handNode(t, s.Connect(t), func(string) [][]byte {
		one, two := chunkFrame(t, 1, "one", 3), chunkFrame(t, 2, "two", 6)
		return [][]byte{one, one, two, one, two, frame(t, "LogEnd", 3, `{"code":"end"}`)}
	})
	r := open(t, over(s.Connect(t)), logstream.Request{ExecutionID: "ex"})
	if got := readAll(t, r); got != "onetwo" {
		t.Errorf("read %q", got)
	}
}
