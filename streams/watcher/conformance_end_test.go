package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"oc-scheduler/streams/watcher"
)

func TestTrimmedNumbersAreNotReused(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
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
		t.Helper()
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
		t.Helper()
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
		t.Helper()
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
		t.Helper()
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

// TestAnotherName: what a ledger holds stays as it is, and another store of the same file knows the name.
func TestAnotherName(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
		s := open(t)
		store(t, s, run(1), run(2))
		before := s.LedgerID()
		if err := s.(watcher.Renamer).Rename(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, "has another name", s.LedgerID() != before, true)
		store(t, s, run(3))
		same(t, "events", numbers(events(t, s, 0, 0)), "1-3")
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, "of a closed ledger", s.(watcher.Renamer).Rename(t.Context()), watcher.ErrClosed)
	})
}

func TestAnEndedContext(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
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
		t.Helper()
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
