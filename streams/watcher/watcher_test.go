package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"

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
	waiting := watch(t, s, sink(nil), watcher.Config{Start: watcher.After(1)})
	stop(t, waiting) // its handler waits for ever, but heeds its context
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
	same(t, "faults", strings.Count(err.Error(), "\n")+1, 7)
}
