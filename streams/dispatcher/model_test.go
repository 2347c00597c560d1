package dispatcher_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/watcher"
)

// fate is what becomes of a message.
type fate int

const (
	stored     fate = iota // and acknowledged
	unheard                // stored, but that is not told: the line breaks
	lost                   // not stored: the line breaks
	swallowed              // nothing is ever heard of it
	refused                // it does not even join the line
	fateNumber             // how many there are
)

// script is an OrderedPublisher that keeps its promises, with fates as written; when they are used up
// all is stored.
type script struct {
	entered, release chan struct{} // unless nil, PublishAsync says so and waits, deaf to its context

	mu     sync.Mutex
	fates  []fate
	broken error
	open   []*outcome
	stream []envelope.Message
}

type outcome struct {
	done     chan struct{}
	err      error
	sequence uint64
}

func (o *outcome) Done() <-chan struct{}  { return o.done }
func (o *outcome) Err() error             { return o.err }
func (o *outcome) StreamSequence() uint64 { return o.sequence }

func (o *outcome) resolve(err error) {
	o.err = err
	close(o.done)
}

func (s *script) PublishAsync(ctx context.Context, r ncl.PublishRequest) (ncl.PubFuture, error) {
	if s.entered != nil {
		close(s.entered)
		<-s.release
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return nil, s.broken
	}
	next := stored
	if len(s.fates) > 0 {
		next, s.fates = s.fates[0], s.fates[1:]
	}
	if next == refused {
		return nil, errors.New("no place in the line")
	}
	o := &outcome{done: make(chan struct{})}
	s.open = append(s.open, o)
	if next == stored || next == unheard {
		s.stream = append(s.stream, *r.Message)
	}
	switch {
	case next == swallowed: // and so nothing is heard of those after it
	case next == unheard || next == lost:
		s.failLocked(errors.New("lost"))
	case len(s.open) == 1:
		s.open = nil
		o.resolve(nil)
	}
	return o, ctx.Err()
}

func (s *script) failLocked(err error) {
	for _, o := range s.open {
		o.resolve(err)
	}
	s.open, s.broken = nil, fmt.Errorf("%w: %w", ncl.ErrBroken, err)
}

func (s *script) Reset(context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked(ncl.ErrReset)
	s.broken = nil
}

func (s *script) Close(context.Context) error { return nil }

// read takes all that was stored.
func (s *script) read() (r reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.stream {
		r.take(&m)
	}
	return r
}

// TestWhateverBecomesOfMessages: all events arrive, in order. A reader sees a gap only when the stream
// has lost a message and stored a later one.
func TestWhateverBecomesOfMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := watcher.NewMemoryStore()
		defer func() { _ = s.Close(context.Background()) }()
		types := rapid.SliceOfN(rapid.SampledFrom([]string{"run", "run", "run", "other", "poison"}), 1, 40).Draw(rt, "types")
		fates := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fate {
			return fate(max(rapid.IntRange(-6, int(fateNumber)-1).Draw(t, "fate"), 0))
		}), 0, 60).Draw(rt, "fates")
		split := rapid.IntRange(0, len(types)).Draw(rt, "split")
		store(t, s, types[:split]...)
		p := &script{fates: fates}
		clock, cfg := clockwork.NewFakeClock(), quick()
		cfg.Clock, cfg.StallTimeout = clock, time.Minute
		d := dispatch(t, cfg, params(s, p))
		store(t, s, types[split:]...)
		var want []uint64
		var poison uint64
		for i, objectType := range types {
			switch objectType {
			case "run":
				want = append(want, uint64(i+1))
			case "poison":
				poison++
			}
		}
		natstest.Eventually(t, "all arrive", func() bool {
			clock.Advance(15 * time.Second) // pauses, and looks for stalls
			state := d.State()
			return state.LeftOut == poison && (len(want) == 0 || state.LastAcknowledged == want[len(want)-1])
		})
		stop(t, d)
		r := p.read()
		if !slices.Equal(r.taken, want) {
			rt.Errorf("%v arrived, want %v", r.taken, want)
		}
		if r.gaps > 0 && !slices.Contains(fates, swallowed) {
			rt.Errorf("%d gaps, though nothing was swallowed", r.gaps)
		}
		if left := d.State().InFlight; left != 0 {
			rt.Errorf("%d are in flight after the end", left)
		}
	})
}

// TestAStallIsNoticedInTime: not before nothing was heard for the whole time, and then soon.
func TestAStallIsNoticedInTime(t *testing.T) {
	t.Parallel()
	s, p := memory(t), &script{fates: []fate{stored, swallowed}}
	clock, cfg, registry := clockwork.NewFakeClock(), quick(), prometheus.NewPedanticRegistry()
	cfg.Clock, cfg.StallTimeout, cfg.Registerer = clock, 40*time.Second, registry
	runs(t, s, 2)
	d := dispatch(t, cfg, params(s, p))
	natstest.Eventually(t, "two are sent", func() bool { return d.State().LastDispatched == 2 })
	var waited time.Duration
	natstest.Eventually(t, "a stall", func() bool {
		clock.Advance(time.Second)
		waited += time.Second
		return d.State().Stalls == 1
	})
	if waited < cfg.StallTimeout {
		t.Errorf("it was called a stall after %v already", waited)
	}
	natstest.Eventually(t, "recovery", func() bool {
		clock.Advance(time.Millisecond)
		return d.State().LastAcknowledged == 2
	})
	stop(t, d)
	again := dispatch(t, cfg, params(s, p)) // the next session counts on
	await(t, again, 2)
	same(t, "acknowledged", counted(t, registry, "oc_scheduler_dispatcher_events_total", "acknowledged"), 4)
	same(t, "stalls", counted(t, registry, "oc_scheduler_dispatcher_recoveries_total", "stall"), 1)
}

func counted(t *testing.T, g prometheus.Gatherer, name, label string) float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("%s is not counted", name)
	return 0
}
