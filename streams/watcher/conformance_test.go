package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/watcher"
)

// opener opens a store on the same place each time it is called, and closes it when the test ends.
type opener func(tb testing.TB, opts ...watcher.Option) watcher.EventStore

// stores are the implementations; each call of one is a new place.
var stores = map[string]func(tb testing.TB) opener{
	"bolt": func(tb testing.TB) opener {
		tb.Helper()
		path := filepath.Join(tb.TempDir(), "ledger")
		return func(tb testing.TB, opts ...watcher.Option) watcher.EventStore {
			tb.Helper()
			s, err := watcher.OpenBolt(path, opts...)
			if err != nil {
				tb.Fatal(err)
			}
			closeAtEnd(tb, s)
			return s
		}
	},
	"memory": func(testing.TB) opener {
		return func(tb testing.TB, opts ...watcher.Option) watcher.EventStore {
			tb.Helper()
			s := watcher.NewMemoryStore(opts...)
			closeAtEnd(tb, s)
			return s
		}
	},
}

func closeAtEnd(tb testing.TB, s watcher.EventStore) {
	tb.Helper()
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
}

// conforms runs a test for each implementation.
func conforms(t *testing.T, test func(t *testing.T, open opener)) {
	t.Helper()
	t.Parallel()
	for name, place := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, place(t))
		})
	}
}

func run(n int) watcher.StoreEventRequest {
	return watcher.StoreEventRequest{Operation: watcher.OperationUpdate, ObjectType: "run", Object: n}
}

func store(tb testing.TB, s watcher.EventStore, requests ...watcher.StoreEventRequest) {
	tb.Helper()
	for _, r := range requests {
		if _, err := s.StoreEvent(tb.Context(), r); err != nil {
			tb.Fatal(err)
		}
	}
}

func events(tb testing.TB, s watcher.EventStore, after uint64, limit int) []watcher.Event {
	tb.Helper()
	found, err := s.GetEvents(tb.Context(), watcher.GetEventsRequest{AfterSeqNum: after, Limit: limit})
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

func newest(tb testing.TB, s watcher.EventStore) uint64 {
	tb.Helper()
	n, err := s.GetLatestEventNum(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// numbers is what a test compares: 3-5 for the events 3, 4 and 5.
func numbers(found []watcher.Event) string {
	if len(found) == 0 {
		return ""
	}
	for i, e := range found {
		if e.SeqNum != found[0].SeqNum+uint64(i) {
			return fmt.Sprintf("%d follows %d", e.SeqNum, found[i-1].SeqNum)
		}
	}
	return fmt.Sprintf("%d-%d", found[0].SeqNum, found[len(found)-1].SeqNum)
}

func same[T comparable](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestWhatIsStoredIsRead(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		now := time.Date(2026, 12, 1, 10, 0, 0, 123456789, time.FixedZone("", 3600))
		s := open(t, watcher.WithClock(clockwork.NewFakeClockAt(now)))
		stored, err := s.StoreEvent(t.Context(), watcher.StoreEventRequest{
			Operation: watcher.OperationCreate, ObjectType: "run", Object: map[string]string{"id": "r1"},
		})
		if err != nil {
			t.Fatal(err)
		}
		store(t, s, run(2), watcher.StoreEventRequest{Operation: watcher.OperationDelete, ObjectType: "planner"})
		found := events(t, s, 0, 0)
		same(t, "numbers", numbers(found), "1-3")
		for i, want := range []string{
			`{1 create run {"id":"r1"} 2026-12-01 09:00:00.123456789 +0000 UTC}`,
			`{2 update run 2 2026-12-01 09:00:00.123456789 +0000 UTC}`,
			`{3 delete planner null 2026-12-01 09:00:00.123456789 +0000 UTC}`,
		} {
			e := found[i]
			same(t, "event", fmt.Sprintf("{%d %s %s %s %v}", e.SeqNum, e.Operation, e.ObjectType, e.Object, e.Timestamp), want)
		}
		same(t, "answer", fmt.Sprint(stored), fmt.Sprint(found[0]))
		same(t, "newest", newest(t, s), 3)
	})
}

func TestPositionsAndLimits(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		same(t, "of nothing", numbers(events(t, s, 0, 0)), "")
		same(t, "newest of nothing", newest(t, s), 0)
		for n := range 10 {
			store(t, s, run(n))
		}
		for _, c := range []struct {
			after uint64
			limit int
			want  string
		}{
			{0, 3, "1-3"},
			{3, 3, "4-6"},
			{8, 3, "9-10"},
			{9, 0, "10-10"},
			{10, 0, ""},
			{11, 1, ""},
			{0, -1, "1-10"},
			{math.MaxUint64 - 1, 0, ""},
			{math.MaxUint64, 0, ""},
		} {
			same(t, fmt.Sprint(c), numbers(events(t, s, c.after, c.limit)), c.want)
		}
	})
}

func TestAPageIsBounded(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		object := func(bytes int) watcher.StoreEventRequest {
			return watcher.StoreEventRequest{
				Operation: watcher.OperationUpdate, ObjectType: "run", Object: strings.Repeat("x", bytes-2),
			}
		}
		half := watcher.MaxPageBytes / 2
		store(t, s, object(half), object(half), object(2), object(2*half+1), object(2))
		for after, want := range map[uint64]string{0: "1-2", 1: "2-3", 2: "3-3", 3: "4-4", 4: "5-5"} {
			same(t, fmt.Sprint("after ", after), numbers(events(t, s, after, 0)), want)
		}
		store(t, s, object(watcher.MaxObjectBytes))
		_, err := s.StoreEvent(t.Context(), object(watcher.MaxObjectBytes+1))
		same(t, "too large", errors.Is(err, watcher.ErrInvalid), true)
		same(t, "newest", newest(t, s), 6)
	})
}

func TestWhatCannotBeStored(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		for name, r := range map[string]watcher.StoreEventRequest{
			"no operation":      {ObjectType: "run"},
			"unknown operation": {Operation: "upsert", ObjectType: "run"},
			"no type":           {Operation: watcher.OperationCreate},
			"long type":         {Operation: watcher.OperationCreate, ObjectType: strings.Repeat("x", 256)},
			"no JSON":           {Operation: watcher.OperationCreate, ObjectType: "run", Object: math.NaN()},
		} {
			_, err := s.StoreEvent(t.Context(), r)
			same(t, name, errors.Is(err, watcher.ErrInvalid), true)
		}
		for _, name := range []string{"", strings.Repeat("x", 256)} {
			same(t, "checkpoint", errors.Is(s.StoreCheckpoint(t.Context(), name, 1), watcher.ErrInvalid), true)
		}
		same(t, "newest", newest(t, s), 0)
		store(t, s, watcher.StoreEventRequest{Operation: watcher.OperationCreate, ObjectType: strings.Repeat("x", 255)})
		same(t, "long type", len(events(t, s, 0, 0)[0].ObjectType), 255)
	})
}

func TestManyWritersAtOnce(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		const writers, each = 16, 50
		given := make([][]uint64, writers)
		var work sync.WaitGroup
		for w := range writers {
			work.Go(func() {
				for n := range each {
					e, err := s.StoreEvent(t.Context(), run(w*each+n))
					if err != nil {
						t.Error(err)
						return
					}
					given[w] = append(given[w], e.SeqNum)
				}
			})
		}
		work.Wait()
		found := events(t, s, 0, writers*each+1)
		same(t, "numbers", numbers(found), fmt.Sprintf("1-%d", writers*each))
		for w, sequence := range given {
			for n, number := range sequence {
				same(t, "object", string(found[number-1].Object), fmt.Sprint(w*each+n))
			}
		}
	})
}

func TestChangedMissesNothing(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		const all = 300
		var work sync.WaitGroup
		for range 3 {
			work.Go(func() {
				for position := uint64(0); position < all; {
					changed := s.Changed()
					found := events(t, s, position, 7)
					if len(found) == 0 {
						<-changed
						continue
					}
					position = found[len(found)-1].SeqNum
				}
			})
		}
		for n := range all {
			store(t, s, run(n))
		}
		work.Wait()
		changed := s.Changed()
		if err := errors.Join(s.StoreCheckpoint(t.Context(), "c", 1), s.Trim(t.Context(), 10)); err != nil {
			t.Fatal(err)
		}
		select {
		case <-changed:
			t.Error("woken though no event was stored")
		default:
		}
	})
}

func TestCheckpoints(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		_, err := s.GetCheckpoint(t.Context(), "c")
		same(t, "none", errors.Is(err, watcher.ErrCheckpointNotFound), true)
		for _, want := range []uint64{7, 3, 0, math.MaxUint64} {
			if err := errors.Join(s.StoreCheckpoint(t.Context(), "c", want), s.StoreCheckpoint(t.Context(), "d", 1)); err != nil {
				t.Fatal(err)
			}
			got, err := s.GetCheckpoint(t.Context(), "c")
			same(t, "error", err, nil)
			same(t, "checkpoint", got, want)
		}
	})
}

func TestTrimmedNumbersAreNotReused(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		trim := func(through uint64) {
			t.Helper()
			if err := s.Trim(t.Context(), through); err != nil {
				t.Fatal(err)
			}
		}
		trim(5)
		for n := range 10 {
			store(t, s, run(n))
		}
		trim(0)
		same(t, "nothing trimmed", numbers(events(t, s, 0, 0)), "1-10")
		trim(4)
		trim(3)
		same(t, "rest", numbers(events(t, s, 0, 0)), "5-10")
		same(t, "rest after 7", numbers(events(t, s, 7, 0)), "8-10")
		trim(math.MaxUint64)
		same(t, "nothing left", numbers(events(t, s, 0, 0)), "")
		same(t, "newest", newest(t, s), 10)
		store(t, s, run(11))
		same(t, "next", numbers(events(t, s, 0, 0)), "11-11")
	})
}

func TestTrimmingMuch(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		var work sync.WaitGroup
		for w := range 100 {
			work.Go(func() {
				for n := range 25 {
					store(t, s, run(25*w+n))
				}
			})
		}
		work.Wait()
		if err := s.Trim(t.Context(), 2400); err != nil {
			t.Fatal(err)
		}
		same(t, "rest", numbers(events(t, s, 0, 0)), "2401-2500")
	})
}

func TestWhatWasReadStays(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		for n := range 100 {
			store(t, s, run(n))
		}
		found := events(t, s, 0, 0)
		if err := errors.Join(s.Trim(t.Context(), 100), s.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		for n, e := range found {
			same(t, "object", string(e.Object), fmt.Sprint(n))
		}
	})
}

func TestTheOldestGo(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t, watcher.WithMaxEvents(10))
		for n := range 25 {
			store(t, s, run(n))
			if kept := len(events(t, s, 0, 0)); kept != min(n+1, 10) {
				t.Fatalf("%d events are kept of %d", kept, n+1)
			}
		}
		same(t, "kept", numbers(events(t, s, 0, 0)), "16-25")
	})
}

func TestAClosedStore(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		store(t, s, run(1))
		changed := s.Changed()
		for range 2 {
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		<-changed
		<-s.Changed()
		refuses(t, s, t.Context(), watcher.ErrClosed)
		if s.LedgerID() == "" {
			t.Error("a closed ledger has lost its name")
		}
	})
}

func TestAnEndedContext(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		refuses(t, s, ctx, context.Canceled)
		same(t, "newest", newest(t, s), 0)
	})
}

func refuses(t *testing.T, s watcher.EventStore, ctx context.Context, want error) {
	t.Helper()
	_, stored := s.StoreEvent(ctx, run(1))
	_, read := s.GetEvents(ctx, watcher.GetEventsRequest{})
	_, latest := s.GetLatestEventNum(ctx)
	_, position := s.GetCheckpoint(ctx, "c")
	for name, err := range map[string]error{
		"StoreEvent": stored, "GetEvents": read, "GetLatestEventNum": latest, "GetCheckpoint": position,
		"StoreCheckpoint": s.StoreCheckpoint(ctx, "c", 1), "Trim": s.Trim(ctx, 1),
	} {
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

func TestCloseWhileAllIsBusy(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		s := open(t)
		var work sync.WaitGroup
		for range 8 {
			work.Go(func() {
				for {
					_, err := s.StoreEvent(t.Context(), run(1))
					if err == nil {
						_, err = s.GetEvents(t.Context(), watcher.GetEventsRequest{Limit: 1})
					}
					if errors.Is(err, watcher.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for changed := s.Changed(); newest(t, s) < 20; changed = s.Changed() {
			<-changed
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		work.Wait()
	})
}
