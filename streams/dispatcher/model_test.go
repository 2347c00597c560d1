package dispatcher_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"pgregory.net/rapid"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/watcher"
)

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
		for _, m := range p.stream {
			if before := max(slices.Index(want, m.Sequence), 0); m.Previous != append([]uint64{0}, want...)[before] {
				rt.Errorf("%d is said to follow %d", m.Sequence, m.Previous)
			}
		}
		if left := d.State().InFlight; left != 0 {
			rt.Errorf("%d are in flight after the end", left)
		}
	})
}
