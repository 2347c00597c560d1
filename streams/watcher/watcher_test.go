package watcher_test

import (
	"context"
	"testing"
	"time"

	"oc-scheduler/streams/watcher"
)

type handlerFunc func(ctx context.Context, e watcher.Event) error

func (f handlerFunc) HandleEvent(ctx context.Context, e watcher.Event) error { return f(ctx, e) }

// sink hands the numbers of events to the test.
func sink(numbers chan<- uint64) handlerFunc {
	return func(ctx context.Context, e watcher.Event) error {
		select {
		case numbers <- e.SeqNum:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func newWatcher(t *testing.T, s watcher.EventStore, h watcher.EventHandler, cfg watcher.Config) *watcher.Watcher {
	t.Helper()
	w, err := watcher.New("w", s, h, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, w) })
	return w
}

func watch(t *testing.T, s watcher.EventStore, h watcher.EventHandler, cfg watcher.Config) *watcher.Watcher {
	t.Helper()
	w := newWatcher(t, s, h, cfg)
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func stop(t *testing.T, w *watcher.Watcher) {
	t.Helper()
	if err := w.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func memory(t *testing.T, n int) *watcher.MemoryStore {
	t.Helper()
	s := watcher.NewMemoryStore()
	closeAtEnd(t, s)
	for i := range n {
		store(t, s, run(i))
	}
	return s
}

func receive(t *testing.T, from <-chan uint64, want ...uint64) {
	t.Helper()
	for _, n := range want {
		select {
		case got := <-from:
			same(t, "event", got, n)
		case <-time.After(time.Minute):
			t.Fatalf("event %d does not come", n)
		}
	}
}

func TestAWatcherFollows(t *testing.T) {
	t.Parallel()
	s, got := memory(t, 3), make(chan uint64)
	w := watch(t, s, sink(got), watcher.Config{PageSize: 2})
	receive(t, got, 1, 2, 3)
	for n := uint64(4); n < 10; n++ {
		store(t, s, run(0))
		receive(t, got, n)
	}
	stop(t, w)
	stats := w.Stats()
	same(t, "stats", stats, watcher.Stats{Position: 9, Handled: 9})
}

func TestWhereAWatcherBegins(t *testing.T) {
	t.Parallel()
	s := memory(t, 5)
	if err := s.StoreCheckpoint(t.Context(), "w", 3); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		start watcher.Position
		first uint64
	}{
		"zero": {watcher.Position{}, 1}, "sequence": {watcher.After(2), 3},
		"checkpoint": {watcher.AtCheckpoint(), 4}, "latest": {watcher.Latest(), 6},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan uint64)
			w := watch(t, s, sink(got), watcher.Config{Start: c.start})
			same(t, "position", w.Stats().Position, c.first-1)
			if c.first > 5 {
				store(t, s, run(5))
			}
			receive(t, got, c.first)
		})
	}
	got := make(chan uint64)
	watch(t, memory(t, 1), sink(got), watcher.Config{Start: watcher.AtCheckpoint()})
	receive(t, got, 1) // no checkpoint
}

func TestAFilter(t *testing.T) {
	t.Parallel()
	s := memory(t, 0)
	for i, objectType := range []string{"run", "planner", "run", "node"} {
		op := []watcher.Operation{watcher.OperationCreate, watcher.OperationDelete}[i/2]
		store(t, s, watcher.StoreEventRequest{Operation: op, ObjectType: objectType})
	}
	for _, c := range []struct {
		filter watcher.Filter
		want   []uint64
	}{
		{watcher.Filter{}, []uint64{1, 2, 3, 4}},
		{watcher.Filter{ObjectTypes: []string{"run"}}, []uint64{1, 3}},
		{watcher.Filter{ObjectTypes: []string{"run", "node"}}, []uint64{1, 3, 4}},
		{watcher.Filter{Operations: []watcher.Operation{watcher.OperationDelete}}, []uint64{3, 4}},
		{watcher.Filter{[]string{"run"}, []watcher.Operation{watcher.OperationDelete}}, []uint64{3}},
	} {
		got := make(chan uint64, 4)
		w := watch(t, s, sink(got), watcher.Config{Filter: c.filter})
		receive(t, got, c.want...)
		await(t, w, func(s watcher.Stats) bool { return s.Position == 4 })
		same(t, "filtered", w.Stats().Filtered, uint64(4-len(c.want)))
		stop(t, w)
		same(t, "more", len(got), 0)
	}
}

func await(t *testing.T, w *watcher.Watcher, ok func(watcher.Stats) bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok(w.Stats()) {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("does not come about: %+v", w.Stats())
		}
	}
}
