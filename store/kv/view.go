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
	keys   *Keys
	decode Decode[T]
	log    *slog.Logger

	// onMarker is called with each removal that the space shows, under the conditions of OnChange.
	onMarker func(Key, nats.Header)
	// vanished is told of values that were removed from below the space, before the view drops them.
	vanished func(context.Context, []string)

	loaded     chan struct{}
	loadedOnce sync.Once

	mu        sync.RWMutex
	slots     map[Key]*slot[T]
	broken    map[string]string // by key: why
	ids       []string          // of the values, sorted; nil when to be built again
	values    int
	current   bool
	lastProof time.Time // while not current: when the view was last known to be up to date
	listeners []func(id string)
}

// slot is what is known of one key: a value, or one that cannot be decoded.
type slot[T any] struct {
	entry      Entry[T] // of a broken one: the value before it, if remembered
	broken     bool
	remembered bool
	generation uint64 // the snapshot in which it was last seen
}

// NewView makes the view of a space. It is empty and not current until Run has loaded it.
func NewView[T any](keys *Keys, decode Decode[T]) *View[T] {
	v := &View[T]{
		keys: keys, decode: decode,
		onMarker:  func(Key, nats.Header) {},
		vanished:  func(context.Context, []string) {},
		log:       keys.log.With("component", "view", "bucket", keys.Bucket),
		loaded:    make(chan struct{}),
		slots:     map[Key]*slot[T]{},
		broken:    map[string]string{},
		lastProof: time.Now(),
	}
	keys.metrics.observe(keys.Bucket, v)
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

// Loaded is closed when the first snapshot is complete, and stays so over outages.
func (v *View[T]) Loaded() <-chan struct{} { return v.loaded }

// Current says whether the view is complete and follows the bucket now.
func (v *View[T]) Current() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.current
}

// Age is how long ago the view was last known to be up to date: 0 while it is current.
func (v *View[T]) Age() time.Duration {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.current {
		return 0
	}
	return time.Since(v.lastProof)
}

// Broken lists the keys whose values cannot be decoded, with the reason. They count as absent.
func (v *View[T]) Broken() map[string]string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return maps.Clone(v.broken)
}
