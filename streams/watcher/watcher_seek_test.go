package watcher_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/watcher"
)

func TestSeeking(t *testing.T) {
	t.Parallel()
	s, got := memory(t, 6), make(chan uint64)
	w := watch(t, s, sink(got), watcher.Config{})
	receive(t, got, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		to   uint64
		want []uint64
	}{{2, []uint64{3, 4, 5, 6}}, {5, []uint64{6}}, {0, []uint64{1, 2, 3, 4, 5, 6}}} {
		if err := w.SeekTo(t.Context(), c.to); err != nil {
			t.Fatal(err)
		}
		receive(t, got, c.want...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.SeekTo(ctx, 3); err != nil { // either was first
		same(t, "error", errors.Is(err, context.Canceled), true)
	}
	stop(t, w)
	same(t, "after the end", w.SeekTo(t.Context(), 1), watcher.ErrNotRunning)
}

func TestSeekingInTheMidstOfAPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got, sought := make(chan uint64), make(chan error, 1)
		w := watch(t, memory(t, 6), sink(got), watcher.Config{})
		receive(t, got, 1, 2)
		synctest.Wait() // the handler has event 3
		go func() { sought <- w.SeekTo(t.Context(), 4) }()
		synctest.Wait() // it waits for the handler
		same(t, "too early", len(sought), 0)
		receive(t, got, 3, 5)
		same(t, "error", <-sought, nil)
		receive(t, got, 6)
	})
}

func TestSeekingOutOfABlock(t *testing.T) {
	t.Parallel()
	got := make(chan uint64, 10)
	w := watch(t, memory(t, 3), handlerFunc(func(_ context.Context, e watcher.Event) error {
		if e.SeqNum == 2 {
			return errors.New("never")
		}
		got <- e.SeqNum
		return nil
	}), watcher.Config{Clock: clockwork.NewFakeClock()})
	await(t, w, func(s watcher.Stats) bool { return s.Failures == 1 })
	if err := w.SeekTo(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	receive(t, got, 1, 3)
}

func TestAWatchersCheckpoint(t *testing.T) {
	t.Parallel()
	clock, s, got := clockwork.NewFakeClock(), memory(t, 3), make(chan uint64, 9)
	w := watch(t, s, sink(got), watcher.Config{Clock: clock, CheckpointInterval: time.Minute})
	receive(t, got, 1, 2, 3)
	await(t, w, func(s watcher.Stats) bool { return s.Position == 3 })
	_, err := s.GetCheckpoint(t.Context(), "w")
	same(t, "too early", err, watcher.ErrCheckpointNotFound)
	clock.Advance(time.Minute)
	await(t, w, func(watcher.Stats) bool {
		position, err := s.GetCheckpoint(t.Context(), "w")
		return err == nil && position == 3
	})
	store(t, s, run(4))
	await(t, w, func(s watcher.Stats) bool { return s.Position == 4 })
	stop(t, w)
	position, err := s.GetCheckpoint(t.Context(), "w")
	same(t, "error", err, nil)
	same(t, "at the end", position, 4)
	watch(t, s, sink(got), watcher.Config{Start: watcher.AtCheckpoint()})
	store(t, s, run(5))
	receive(t, got, 4, 5)
}
