package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/watcher"
)

// pauses is a BackOff that counts.
type pauses struct {
	pause        time.Duration
	taken, reset atomic.Int64
}

func (p *pauses) Reset() { p.reset.Add(1) }
func (p *pauses) NextBackOff() time.Duration {
	p.taken.Add(1)
	return p.pause
}

func (p *pauses) String() string { return fmt.Sprint(p.taken.Load(), "/", p.reset.Load()) }

// failing fails so many times for event 2.
func failing(times int, tries *[]uint64) handlerFunc {
	return func(_ context.Context, e watcher.Event) error {
		*tries = append(*tries, e.SeqNum)
		if e.SeqNum == 2 && times > 0 {
			times--
			return errors.New("not now")
		}
		return nil
	}
}

func TestBlockTriesUntilItWorks(t *testing.T) {
	t.Parallel()
	clock, pauses := clockwork.NewFakeClock(), &pauses{pause: time.Second}
	var tries []uint64
	w := watch(t, memory(t, 3), failing(3, &tries), watcher.Config{Clock: clock, Backoff: pauses, MaxAttempts: 1})
	for n := range 3 {
		await(t, w, func(s watcher.Stats) bool { return s.Failures == uint64(n+1) })
		same(t, "last error", fmt.Sprint(w.Stats().LastError), "not now")
		if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Second)
	}
	await(t, w, func(s watcher.Stats) bool { return s.Position == 3 })
	stop(t, w)
	same(t, "tries", fmt.Sprint(tries), "[1 2 2 2 2 3]")
	same(t, "pauses and resets", pauses.String(), "3/1")
	same(t, "stats", w.Stats(), watcher.Stats{Position: 3, Handled: 3, Failures: 3})
}

func TestSkipGivesUp(t *testing.T) {
	t.Parallel()
	var tries []uint64
	pauses := &pauses{}
	w := watch(t, memory(t, 3), failing(100, &tries), watcher.Config{OnFailure: watcher.Skip, MaxAttempts: 3, Backoff: pauses})
	await(t, w, func(s watcher.Stats) bool { return s.Position == 3 })
	stop(t, w)
	same(t, "tries", fmt.Sprint(tries), "[1 2 2 2 3]")
	same(t, "pauses and resets", pauses.String(), "2/1")
	same(t, "stats", w.Stats(), watcher.Stats{Position: 3, Handled: 2, Skipped: 1, Failures: 3})
}
