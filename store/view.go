package store

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Entry is a value with its place in the bucket.
type Entry[T any] struct {
	Value    T
	Revision uint64
	Stored   time.Time // when the server stored it
}

// Item is an Entry with the identifier it belongs to.
type Item[T any] struct {
	ID string
	Entry[T]
}

// Decode reads the value of an identifier; it must not keep m, but may keep its data. An error
// says that the value is broken, and counts as no value.
type Decode[T any] func(id string, m *nats.Msg) (T, error)

// View is a copy of a bucket in memory, kept up to date by Run.
//
// Loaded and Current answer different questions. Loaded: has the bucket been read completely at
// least once, so that what is absent here was absent there? It never goes back. Current: is the
// bucket being followed now? It ends with each outage and comes back after it; in between the view
// shows what it last knew, and Age tells how old that is.
type View[T any] struct {
	bucket  string
	js      jetstream.JetStream
	decode  Decode[T]
	log     *slog.Logger
	metrics *viewMetrics
	restore func(context.Context) error
	// onMarker is called with each removal that the bucket shows, under the conditions of OnChange.
	onMarker func(key string, h nats.Header)
	// vanished is told of values that were removed from below the bucket, before the view drops them.
	vanished func(context.Context, []string)

	loaded     chan struct{}
	loadedOnce sync.Once

	mu        sync.RWMutex
	slots     map[string]*slot[T] // by key
	broken    map[string]string   // by key: why
	ids       []string            // of the values, sorted; nil when to be built again
	values    int
	current   bool
	lastProof time.Time // while not current: when the view was last known to be up to date
	listeners []func(id string)
}

// slot is what is known of one key: a value, or one that cannot be decoded.
type slot[T any] struct {
	id         string   // empty: the key stands for no valid identifier
	entry      Entry[T] // of a broken one: the value before it, if remembered
	broken     bool
	remembered bool
	generation uint64 // the snapshot in which it was last seen
}

// ViewOption is a choice made at NewView.
type ViewOption func(*viewOptions)

type viewOptions struct {
	log     *slog.Logger
	metrics *viewMetrics
	restore func(context.Context) error
}

// WithLogger sets where the view logs.
func WithLogger(log *slog.Logger) ViewOption { return func(o *viewOptions) { o.log = log } }

func withMetrics(m *viewMetrics) ViewOption { return func(o *viewOptions) { o.metrics = m } }

// withRestore sets what brings a bucket back that has gone.
func withRestore(f func(context.Context) error) ViewOption {
	return func(o *viewOptions) { o.restore = f }
}

// NewView makes the view of a bucket. It is empty and not current until Run has loaded it.
func NewView[T any](js jetstream.JetStream, bucket string, decode Decode[T], opts ...ViewOption) *View[T] {
	o := viewOptions{log: slog.New(slog.DiscardHandler), restore: func(context.Context) error { return nil }}
	for _, f := range opts {
		f(&o)
	}
	if o.metrics == nil {
		o.metrics = newViewMetrics(nil)
	}
	v := &View[T]{
		bucket: bucket, js: js, decode: decode, metrics: o.metrics, restore: o.restore,
		onMarker:  func(string, nats.Header) {},
		vanished:  func(context.Context, []string) {},
		log:       o.log.With("component", "view", "bucket", bucket),
		loaded:    make(chan struct{}),
		slots:     map[string]*slot[T]{},
		broken:    map[string]string{},
		lastProof: time.Now(),
	}
	o.metrics.observe(bucket, v)
	return v
}

// OnChange adds a function that is called with each identifier whose value was set, replaced or
// removed, after the view shows it. It is called from the goroutine of Run and must not block.
func (v *View[T]) OnChange(f func(id string)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.listeners = append(slices.Clip(v.listeners), f)
}

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
