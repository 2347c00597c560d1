package logstream_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/ncl"
)

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
		"not found": {frame(t, "LogEnd", 1, `{"code":"not_found"}`), func(err error) bool { return errors.Is(err, logstream.ErrNotFound) }},
		"busy":      {frame(t, "LogEnd", 1, `{"code":"busy"}`), isRefused},
		"failed":    {frame(t, "LogEnd", 1, `{"code":"failed"}`), isRefused},
		"talkative": {frame(t, "LogEnd", 1, `{"code":"failed","detail":"`+strings.Repeat(`ä\n`, 9000)+`"}`), func(err error) bool {
			return isRefused(err) && len(err.Error()) < 2*ncl.MaxReason
		}},
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
