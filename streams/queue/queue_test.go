package queue_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/streams/queue"
)

func TestQueueHandsOutAKeyToOneWorkerAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := queue.New()
		ctx, cancel := context.WithCancel(t.Context())
		var busy, runs atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					key, ok := q.Next(ctx)
					if !ok {
						return
					}
					if busy.Add(1) > 1 {
						t.Error("two workers on one key")
					}
					time.Sleep(time.Second) // the fake clock's
					runs.Add(1)
					busy.Add(-1)
					q.Done(key)
				}
			})
		}
		q.Add("a")
		synctest.Wait() // one worker has it
		for range 10 {
			q.Add("a") // comes back once
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
		q := queue.New()
		begin := time.Now()
		q.AddAfter("a", 10*time.Second)
		q.AddAfter("a", 3*time.Second)
		q.AddAfter("a", 20*time.Second)
		key, ok := q.Next(t.Context())
		if !ok || key != "a" || time.Since(begin) != 3*time.Second {
			t.Errorf("next = %q, %v after %v", key, ok, time.Since(begin))
		}
		q.Done(key)
		q.AddAfter("a", time.Hour)
		q.Stop()
		q.AddAfter("b", time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		if key, ok := q.Next(ctx); ok {
			t.Errorf("stopped queue handed out %q", key)
		}
	})
}

func TestDelayGrowsWithinBounds(t *testing.T) {
	t.Parallel()
	for failures := 1; failures < 100; failures++ {
		if d := queue.Delay(failures); d < 50*time.Millisecond || d > 3*time.Second {
			t.Errorf("queue.Delay(%d) = %v", failures, d)
		}
	}
	if d := queue.Delay(10); d < time.Second {
		t.Errorf("queue.Delay(10) = %v: does not grow", d)
	}
}
