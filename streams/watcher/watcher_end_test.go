package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/streams/watcher"
)

func TestStopping(t *testing.T) {
	t.Parallel()
	s, entered, release := memory(t, 2), make(chan struct{}), make(chan struct{})
	w := watch(t, s, handlerFunc(func(context.Context, watcher.Event) error {
		close(entered)
		<-release // deaf to its context
		return nil
	}), watcher.Config{})
	<-entered
	same(t, "again", w.Start(t.Context()), watcher.ErrStarted)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	same(t, "deaf handler", errors.Is(w.Stop(ctx), context.Canceled), true)
	same(t, "running", w.Stats().Running, true)
	close(release)
	stop(t, w)
	same(t, "stats", w.Stats(), watcher.Stats{Position: 1, Handled: 1})
	begun := make(chan struct{})
	waiting := watch(t, s, handlerFunc(func(ctx context.Context, _ watcher.Event) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}), watcher.Config{Start: watcher.After(1)})
	<-begun
	stop(t, waiting)
	same(t, "stats", waiting.Stats(), watcher.Stats{Position: 1})
	unused := newWatcher(t, s, sink(nil), watcher.Config{})
	stop(t, unused)
	same(t, "stopped before", unused.Start(t.Context()), watcher.ErrStarted)
}

func TestTheStoreIsClosed(t *testing.T) {
	t.Parallel()
	s, got := memory(t, 1), make(chan uint64)
	w := watch(t, s, sink(got), watcher.Config{CheckpointInterval: time.Hour})
	receive(t, got, 1)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-w.Done()
	same(t, "start on it", errors.Is(newWatcher(t, s, sink(got), watcher.Config{Start: watcher.Latest()}).Start(t.Context()), watcher.ErrClosed), true)
}

// ailing fails to read so many times.
type ailing struct {
	watcher.EventStore
	times int
}

func (s *ailing) GetEvents(ctx context.Context, r watcher.GetEventsRequest) ([]watcher.Event, error) {
	if s.times > 0 {
		s.times--
		return nil, errors.New("disk on fire")
	}
	return s.EventStore.GetEvents(ctx, r)
}

func TestAnAilingStore(t *testing.T) {
	t.Parallel()
	got, pauses := make(chan uint64), &pauses{}
	w := watch(t, &ailing{memory(t, 2), 3}, sink(got), watcher.Config{Backoff: pauses})
	receive(t, got, 1, 2)
	await(t, w, func(s watcher.Stats) bool { return s.Position == 2 })
	stop(t, w)
	same(t, "stats", w.Stats(), watcher.Stats{Position: 2, Handled: 2, Failures: 3})
	same(t, "pauses and resets", pauses.String(), "3/1")
}

// noting notes checkpoints, and fails for them so many times.
type noting struct {
	watcher.EventStore
	faults int
	kept   []uint64
}

func (s *noting) StoreCheckpoint(_ context.Context, _ string, seqNum uint64) error {
	s.kept = append(s.kept, seqNum)
	if s.faults--; s.faults >= 0 {
		return errors.New("disk full")
	}
	return nil
}

func TestCheckpointsThatFailOrTellNothingNew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, got := &noting{EventStore: memory(t, 1), faults: 2}, make(chan uint64, 1)
		w := watch(t, s, sink(got), watcher.Config{CheckpointInterval: time.Second})
		receive(t, got, 1)
		time.Sleep(5500 * time.Millisecond) // in the bubble
		stop(t, w)
		same(t, "kept", fmt.Sprint(s.kept), "[1 1 1]")
	})
}

func TestAllFaultsOfAConfigAreReported(t *testing.T) {
	t.Parallel()
	_, err := watcher.New("", nil, nil, watcher.Config{
		OnFailure: 7, MaxAttempts: -1, CheckpointInterval: -1, PageSize: -1,
		Filter: watcher.Filter{Operations: []watcher.Operation{"upsert"}},
	})
	if !errors.Is(err, watcher.ErrInvalid) {
		t.Fatal(err)
	}
	same(t, "faults", strings.Count(err.Error(), "\n")+1, 8)
}
