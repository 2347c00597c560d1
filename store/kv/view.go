package kv

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Entry is a value with its place in the bucket.
type Entry[T any] struct {
	Value    T
	Revision uint64
	Stored   time.Time // when the server stored it
}

// Item is an Entry with the identifier it belongs to; in a space of several tokens that is the key.
type Item[T any] struct {
	ID string
	Entry[T]
}

// View is a copy of a space in memory, kept up to date by Run.
//
// Loaded and Current answer different questions. Loaded: has the bucket been read completely at
// least once, so that what is absent here was absent there? It never goes back. Current: is the
// bucket being followed now? It ends with each outage and comes back after it; in between the view
// shows what it last knew, and Age tells how old that is.
type View[T any] struct {
	*Feed  // that it is one of
	keys   *Keys
	decode Decode[T]
	log    *slog.Logger

	// onMarker is called with each removal that the space shows, under the conditions of OnChange.
	onMarker func(Key, nats.Header)
	// vanished is told of values that were removed from below the space, before the view drops them.
	vanished func(context.Context, []string)
	replaced func(key Key, before, after T)

	mu        sync.RWMutex
	slots     map[Key]*slot[T]
	broken    map[string]string // by key: why
	ids       []string          // of the values, sorted; nil when to be built again
	values    int
	listeners []func(id string)
}

// slot is what is known of one key: a value, or one that cannot be decoded.
type slot[T any] struct {
	value      T // of a broken one: the value before it, if remembered
	revision   uint64
	stored     int64  // Unix nanoseconds
	generation uint32 // the snapshot in which it was last seen
	broken     bool
	remembered bool
}

func (s *slot[T]) entry() Entry[T] { return Entry[T]{s.value, s.revision, time.Unix(0, s.stored)} }

// NewView makes the view of a space, with a feed of its own. It is empty and not current until Run has loaded it.
func NewView[T any](keys *Keys, decode Decode[T]) *View[T] {
	return NewViewOf(keys.feed(keys.Filter()), keys, decode)
}

// NewViewOf is a view of one space of those that a feed reads; its Run is the feed's.
func NewViewOf[T any](f *Feed, keys *Keys, decode Decode[T]) *View[T] {
	v := &View[T]{
		Feed: f, keys: keys, decode: decode,
		onMarker: func(Key, nats.Header) {},
		vanished: func(context.Context, []string) {},
		replaced: func(_ Key, _, _ T) {},
		log:      f.log,
		slots:    map[Key]*slot[T]{},
		broken:   map[string]string{},
	}
	f.views = append(f.views, v)
	return v
}

// OnChange adds a function that is called with the identifier of each value that was set, replaced or
// removed, after the view shows it; in a space of several tokens with the key. It is called from the goroutine of Run and must not block.
func (v *View[T]) OnChange(f func(id string)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.listeners = append(slices.Clip(v.listeners), f)
}

// OnVanished sets the function that is told of identifiers whose values were removed from below the bucket, by a
// purge or a deletion of messages, before the view drops them. It is set before Run.
func (v *View[T]) OnVanished(f func(ctx context.Context, ids []string)) { v.vanished = f }

// OnValue sets the function that is called, before those of OnChange, with each value and the one before it;
// the zero value stands for none. It is set before Run.
func (v *View[T]) OnValue(f func(key Key, before, after T)) { v.replaced = f }

// faults are the broken values, by key.
func (v *View[T]) faults() map[string]string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return maps.Clone(v.broken)
}
