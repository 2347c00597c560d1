package demand

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestQueueHandsOutAKeyToOneWorkerAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		ctx, cancel := context.WithCancel(t.Context())
		var busy, runs atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					key, ok := q.next(ctx)
					if !ok {
						return
					}
					if busy.Add(1) > 1 {
						t.Error("two workers on one key")
					}
					time.Sleep(time.Second) // the fake clock's
					runs.Add(1)
					busy.Add(-1)
					q.done(key)
				}
			})
		}
		q.add("a")
		synctest.Wait() // one worker has it
		for range 10 {
			q.add("a") // comes back once
		}
		time.Sleep(10 * time.Second)
		if runs.Load() != 2 {
			t.Errorf("%d runs, want 2", runs.Load())
		}
		cancel()
		wg.Wait()
	})
}

func TestQueueKeepsTheEarliestLaterTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		begin := time.Now()
		q.addAfter("a", 10*time.Second)
		q.addAfter("a", 3*time.Second)
		q.addAfter("a", 20*time.Second)
		key, ok := q.next(t.Context())
		if !ok || key != "a" || time.Since(begin) != 3*time.Second {
			t.Errorf("next = %q, %v after %v", key, ok, time.Since(begin))
		}
		q.done(key)
		q.addAfter("a", time.Hour)
		q.stop()
		q.addAfter("b", time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		if key, ok := q.next(ctx); ok {
			t.Errorf("stopped queue handed out %q", key)
		}
	})
}

func TestDelayGrowsWithinBounds(t *testing.T) {
	t.Parallel()
	for failures := 1; failures < 100; failures++ {
		if d := delay(failures); d < 50*time.Millisecond || d > 3*time.Second {
			t.Errorf("delay(%d) = %v", failures, d)
		}
	}
	if d := delay(10); d < time.Second {
		t.Errorf("delay(10) = %v: does not grow", d)
	}
}
