package watcher_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"oc-scheduler/streams/watcher"
)

func kilobyte() watcher.StoreEventRequest {
	object := json.RawMessage(`"` + strings.Repeat("x", 1022) + `"`)
	return watcher.StoreEventRequest{Operation: watcher.OperationUpdate, ObjectType: "run", Object: object}
}

// writeTogether stores n events from so many goroutines.
func writeTogether(b *testing.B, s watcher.EventStore, writers, n int) {
	b.Helper()
	var work sync.WaitGroup
	for w := range writers {
		work.Go(func() {
			for range (n + writers - 1 - w) / writers {
				if _, err := s.StoreEvent(b.Context(), kilobyte()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
}

// BenchmarkRead reads events of 1 KB, page by page, once round the ledger after the other.
func BenchmarkRead(b *testing.B) {
	for name, place := range stores {
		b.Run(name, func(b *testing.B) {
			s := place(b)(b)
			writeTogether(b, s, 100, 20_000)
			b.ReportAllocs()
			b.ResetTimer()
			var position uint64
			for n := 0; n < b.N; {
				found := events(b, s, position, 0)
				n += len(found)
				position = (position + uint64(len(found))) % 20_000
			}
		})
	}
}

// BenchmarkStore stores events of 1 KB, each of them durable when StoreEvent returns.
func BenchmarkStore(b *testing.B) {
	for name, writers := range map[string]int{"one": 1, "sixteen": 16} {
		b.Run(name, func(b *testing.B) {
			s := stores["bolt"](b)(b)
			b.ResetTimer()
			writeTogether(b, s, writers, b.N)
		})
	}
}

// BenchmarkRetention stores into a ledger that is full.
func BenchmarkRetention(b *testing.B) {
	s := stores["bolt"](b)(b, watcher.WithMaxEvents(10_000))
	writeTogether(b, s, 100, 10_000)
	b.ResetTimer()
	writeTogether(b, s, 16, b.N)
}
