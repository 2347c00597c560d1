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
			handNode(t, s.Connect(t), toOpen(func() [][]byte { asked.Add(1); return answer }))
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
	handNode(t, s.Connect(t), toOpen(func() [][]byte { return [][]byte{*answer.Load()} }))
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
	handNode(t, s.Connect(t), toOpen(func() [][]byte {
		one, two := chunkFrame(t, 1, "one", 3), chunkFrame(t, 2, "two", 6)
		return [][]byte{one, one, two, one, two, frame(t, "LogEnd", 3, `{"code":"end"}`)}
	}))
	r := open(t, over(s.Connect(t)), logstream.Request{ExecutionID: "ex"})
	if got := readAll(t, r); got != "onetwo" {
		t.Errorf("read %q", got)
	}
}

func TestFaultsOfAClient(t *testing.T) {
	t.Parallel()
	_, err := logstream.Client{Outage: -1}.Open(t.Context(), "a\n", logstream.Request{})
	for _, want := range []string{"no connection", "a duration is negative", "control character", "execution id"} {
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

// TestALossIsSeenAtOnce holds that a reader asks for what is missing as soon as it can know that,
// long before the node counts as silent, and for no more than that.
func TestALossIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]struct {
		request logstream.Request
		answer  [][]byte
		again   string // what is asked for then
	}{
		"the last one is lost": {
			logstream.Request{ExecutionID: "ex", Follow: true},
			[][]byte{chunkFrame(t, 1, "one", 3), frame(t, "LogAlive", 2, `{}`)},
			"offset 3, tail <nil>",
		},
		"the first of a tail is lost": {
			logstream.Request{ExecutionID: "ex", Follow: true, Tail: 5},
			[][]byte{frame(t, "LogAlive", 0, `{}`), chunkFrame(t, 2, "one", 9)},
			"offset <nil>, tail 5",
		},
		"one in between is lost": {
			logstream.Request{ExecutionID: "ex", Follow: true},
			[][]byte{chunkFrame(t, 1, "one", 3), chunkFrame(t, 3, "three", 11)},
			"offset 3, tail <nil>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			again := make(chan string, 1)
			times := 0
			handNode(t, s.Connect(t), func(kind string, body raw) [][]byte {
				if kind != "LogOpen" {
					return nil
				}
				if times++; times == 2 {
					again <- fmt.Sprintf("offset %v, tail %v", body["offset"], body["tail"])
				}
				return first.answer
			})
			clock := clockwork.NewFakeClock()
			_ = open(t, onClock(s.Connect(t), clock), first.request)
			var got string
			pass(t, clock, logstream.DefaultSilence-time.Second, func() { got = <-again })
			if got != first.again {
				t.Errorf("asked again for %s, want %s", got, first.again)
			}
		})
	}
}

// TestWhoSendsTooMuchIsNotHeard holds that a reader who does not read takes no more than it allowed,
// and is not held up by a node that sends on.
func TestWhoSendsTooMuchIsNotHeard(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	again := make(chan struct{}, 100)
	handNode(t, s.Connect(t), toOpen(func() (many [][]byte) {
		again <- struct{}{}
		for i := range 600 {
			many = append(many, chunkFrame(t, uint64(i+1), "x", i+1))
		}
		return many
	}))
	clock := clockwork.NewFakeClock()
	_ = open(t, onClock(s.Connect(t), clock), logstream.Request{ExecutionID: "ex"})
	await(t, "it is asked", again)
	pass(t, clock, logstream.DefaultSilence-time.Second, func() { await(t, "it is asked again", again) })
}

// TestCreditIsForWhatWasRead holds that a reader allows no more before it has read.
func TestCreditIsForWhatWasRead(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	const size = logstream.MaxChunk
	allowed := make(chan float64, 1000)
	handNode(t, s.Connect(t), func(kind string, body raw) [][]byte {
		if kind == "LogOpen" || kind == "LogCredit" {
			allowed <- body["allowed"].(float64)
		}
		if kind != "LogOpen" {
			return nil
		}
		return [][]byte{chunkFrame(t, 1, strings.Repeat("x", size), size), frame(t, "LogAlive", 1, `{}`)}
	})
	clock := clockwork.NewFakeClock()
	r := open(t, onClock(s.Connect(t), clock), logstream.Request{ExecutionID: "ex"})
	first := <-allowed
	for range 3 {
		clock.Advance(time.Second)
		if got := <-allowed; got != first {
			t.Fatalf("allows %v after %v, and nothing was read", got, first)
		}
	}
	expect(t, r, strings.Repeat("x", size))
	clock.Advance(time.Second)
	if got := <-allowed; got < first+size || got > first+size+2048 {
		t.Errorf("allows %v after %v, and %d were read", got, first, size)
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
