package kv

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/jet"
)

// Feed brings what stands in a stream to views of its spaces. It reads all of them through one consumer, so
// that they change in the order of the stream: when one view shows a message, the others show all that came
// before it.
type Feed struct {
	stream *Stream
	filter string // what it reads of the stream
	views  []fed
	seers  []seer
	log    *slog.Logger

	// The rest is what Run carries from one session to the next.

	generation uint32
	created    time.Time // of the stream whose revisions are known
	consumers  *jet.Ephemerals
	revision   progress // the highest one seen

	loaded     chan struct{}
	loadedOnce sync.Once

	mu        sync.RWMutex
	current   bool
	lastProof time.Time // while not current: when the views were last known to be up to date
}

// fed is a view, whatever it holds.
type fed interface {
	prefix() string
	apply(ctx context.Context, m *nats.Msg, md *nats.MsgMetadata, generation uint32)
	sweep(generation uint32)
	forget()
	without(subjects map[string]uint64, last uint64) (gone []string)
	vanish(ctx context.Context, gone []string)
	faults() map[string]string
	Len() int
}

// NewFeed makes a feed of a whole bucket. Views are made for it before Run.
func NewFeed(s *Stream) *Feed { return s.feed(BucketPrefix(s.layout.Bucket) + ">") }

// feed makes a feed of what a filter matches.
func (s *Stream) feed(filter string) *Feed {
	log := s.log.With("component", "view", "bucket", s.layout.Bucket)
	f := &Feed{
		stream: s, filter: filter, log: log,
		consumers: jet.NewEphemerals(s.js, s.Name(), log),
		loaded:    make(chan struct{}),
		lastProof: time.Now(),
	}
	s.metrics.observe(s.layout.Bucket, f)
	return f
}

// Loaded is closed when the first snapshot is complete, and stays so over outages.
func (f *Feed) Loaded() <-chan struct{} { return f.loaded }

// Current says whether the views are complete and follow the bucket now.
func (f *Feed) Current() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.current
}

// Age is how long ago the views were last known to be up to date: 0 while they are current.
func (f *Feed) Age() time.Duration {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.current {
		return 0
	}
	return time.Since(f.lastProof)
}

// Broken lists the keys, within the bucket, whose values cannot be decoded, with the reason. They count as absent.
func (f *Feed) Broken() map[string]string {
	all := map[string]string{}
	for _, v := range f.views {
		kind := strings.TrimPrefix(v.prefix(), BucketPrefix(f.stream.layout.Bucket))
		for key, why := range v.faults() {
			all[kind+key] = why
		}
	}
	return all
}

// Seen is the revision up to which the views show the bucket.
func (f *Feed) Seen() uint64 { return f.revision.load() }

// Await waits until the views show the bucket up to a revision of it. It fails as ctx ends.
func (f *Feed) Await(ctx context.Context, revision uint64) error {
	return f.revision.await(ctx, revision)
}

// Sync waits until the views show all that stood in the bucket when it was called. It fails as ctx ends, whatever the
// last look failed for.
func (f *Feed) Sync(ctx context.Context) error {
	for {
		end, err := f.end(ctx)
		if err == nil {
			soon, cancel := context.WithTimeout(ctx, createTimeout) // it may go before it is delivered
			err = f.Await(soon, end)
			cancel()
		}
		if err == nil {
			return nil
		}
		if err := Sleep(ctx, behindPause); err != nil {
			return err
		}
	}
}

// setCurrent notes that the views are up to date, or that they were until proof.
func (f *Feed) setCurrent(current bool, proof time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current && !current {
		f.lastProof = proof
	}
	f.current = current
}

// apply takes in one message of the bucket. Only the goroutine of Run calls it.
func (f *Feed) apply(ctx context.Context, m *nats.Msg, md *nats.MsgMetadata) {
	for _, v := range f.views {
		if strings.HasPrefix(m.Subject, v.prefix()) {
			v.apply(ctx, m, md, f.generation)
		}
	}
	f.show(m, md)
	f.revision.advance(md.Sequence.Stream)
}

// complete ends a snapshot: nothing is left that the views have not seen.
func (f *Feed) complete(ctx context.Context) {
	values := 0
	for _, v := range f.views {
		v.sweep(f.generation)
		values += v.Len()
	}
	for _, s := range f.seers {
		s.Whole()
	}
	f.setCurrent(true, time.Time{})
	level, msg := slog.LevelInfo, "view is current again" // who was warned of the loss waits for this
	f.loadedOnce.Do(func() {
		level, msg = slog.LevelDebug, "view is loaded"
		close(f.loaded)
	})
	f.log.Log(ctx, level, msg, "values", values)
}

// forget makes every message of the next snapshot count as new: the bucket is another one than that whose
// revisions are known.
func (f *Feed) forget() {
	for _, v := range f.views {
		v.forget()
	}
	f.revision.reset()
}

// without lists what the views show that stands no more, by view.
func (f *Feed) without(subjects map[string]uint64, last uint64) map[fed][]string {
	gone := map[fed][]string{}
	for _, v := range f.views {
		if list := v.without(subjects, last); len(list) > 0 {
			gone[v] = list
		}
	}
	return gone
}
