package watcher_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/streams/watcher"
)

// ways are how a call may end that does not return.
var ways = map[string]func(){
	"panic":  func() { panic("somebody else's fault") },
	"goexit": runtime.Goexit,
}

// wild is a store, and a handler, whose calls do not return while there is a way out for them.
type wild struct {
	watcher.EventStore
	out  map[string]func()
	seen []uint64
}

func (w *wild) leave(call string) {
	if out := w.out[call]; out != nil {
		delete(w.out, call)
		out()
	}
}

func (w *wild) Changed() <-chan struct{} {
	w.leave("Changed")
	return w.EventStore.Changed()
}

func (w *wild) GetEvents(ctx context.Context, r watcher.GetEventsRequest) ([]watcher.Event, error) {
	w.leave("GetEvents")
	return w.EventStore.GetEvents(ctx, r)
}

func (w *wild) StoreCheckpoint(ctx context.Context, name string, seqNum uint64) error {
	w.leave("StoreCheckpoint")
	return w.EventStore.StoreCheckpoint(ctx, name, seqNum)
}

func (w *wild) HandleEvent(_ context.Context, e watcher.Event) error {
	w.leave("HandleEvent")
	w.seen = append(w.seen, e.SeqNum)
	return nil
}

// TestWhatPanicsIsTriedAgain, and ends neither the program nor the watching.
func TestWhatPanicsIsTriedAgain(t *testing.T) {
	t.Parallel()
	for way, out := range ways {
		for _, call := range []string{"Changed", "GetEvents", "StoreCheckpoint", "HandleEvent"} {
			t.Run(way+" in "+call, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := &wild{EventStore: memory(t, 3), out: map[string]func(){call: out}}
					follower := watch(t, w, w, watcher.Config{
						CheckpointInterval: time.Second, Backoff: backoff.NewConstantBackOff(time.Second),
					})
					time.Sleep(5 * time.Second)
					synctest.Wait()
					stats := follower.Stats()
					same(t, "failures", stats.Failures, 1)
					same(t, "position", stats.Position, 3)
					same(t, "handled", len(w.seen), 3)
					stop(t, follower)
					last, err := w.GetCheckpoint(t.Context(), "w")
					same(t, "checkpoint", last, 3)
					same(t, "checkpoint", err, nil)
				})
			})
		}
	}
}

// TestAPanicAtEachEnd of a Watcher's life is an error of it.
func TestAPanicAtEachEnd(t *testing.T) {
	t.Parallel()
	for way, out := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := &wild{EventStore: memory(t, 1), out: map[string]func(){"StoreCheckpoint": out}}
			lost := newWatcher(t, lostStore{w, out}, w, watcher.Config{Start: watcher.AtCheckpoint()})
			if lost.Start(t.Context()) == nil {
				t.Error("it starts nowhere")
			}
			follower := watch(t, w, w, watcher.Config{CheckpointInterval: time.Hour})
			await(t, follower, func(s watcher.Stats) bool { return s.Position == 1 })
			stop(t, follower)
		})
	}
}

type lostStore struct {
	watcher.EventStore
	out func()
}

func (s lostStore) GetCheckpoint(context.Context, string) (uint64, error) {
	s.out()
	return 0, nil
}

func TestAHandlerThatPanicsIsGivenUpBySkip(t *testing.T) {
	t.Parallel()
	w := watch(t, memory(t, 2), handlerFunc(func(context.Context, watcher.Event) error { panic("always") }),
		watcher.Config{OnFailure: watcher.Skip, MaxAttempts: 2, Backoff: &backoff.ZeroBackOff{}})
	await(t, w, func(s watcher.Stats) bool { return s.Skipped == 2 })
	same(t, "failures", w.Stats().Failures, 4)
}
