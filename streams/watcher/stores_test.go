package watcher_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

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
