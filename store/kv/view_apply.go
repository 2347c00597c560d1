package kv

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

// apply takes in one message of the bucket. Only the goroutine of Run calls it.
func (v *View[T]) apply(ctx context.Context, m *nats.Msg, md *nats.MsgMetadata, generation uint64) {
	key := v.keys.Key(m.Subject)
	v.mu.RLock()
	known := v.slots[key] // only Run changes slots, so this stays true without the lock
	v.mu.RUnlock()
	if known != nil && md.Sequence.Stream <= known.entry.Revision {
		known.generation = generation
		return
	}
	if IsMarker(m.Header) {
		v.onMarker(key, m.Header)
		if known != nil {
			v.remove(key, known)
		}
		return
	}
	value, err := decoded(v.keys.Space, key, Message{md.Sequence.Stream, m.Header, m.Data, md.Timestamp}, v.decode)
	next := &slot[T]{entry: Entry[T]{value, md.Sequence.Stream, md.Timestamp}, broken: err != nil, generation: generation}
	if err != nil {
		v.log.WarnContext(ctx, "stored value cannot be decoded; it counts as absent", "key", key, "revision", md.Sequence.Stream, "error", err)
	}
	v.set(key, known, next, err)
}

func (v *View[T]) set(key Key, known, next *slot[T], broken error) {
	v.mu.Lock()
	had := known != nil && !known.broken
	if next.broken && known != nil {
		next.entry.Value, next.remembered = known.entry.Value, had || known.remembered
	}
	v.slots[key] = next
	if next.broken {
		v.broken[string(key)] = broken.Error()
	} else {
		delete(v.broken, string(key))
	}
	v.countLocked(had, !next.broken)
	v.mu.Unlock()
	if had || !next.broken {
		v.notify(key)
	}
}

func (v *View[T]) remove(key Key, known *slot[T]) {
	v.mu.Lock()
	delete(v.slots, key)
	delete(v.broken, string(key))
	v.countLocked(!known.broken, false)
	v.mu.Unlock()
	if !known.broken {
		v.notify(key)
	}
}

// countLocked keeps the number of values; the sorted list changes only with the set of them.
func (v *View[T]) countLocked(had, has bool) {
	switch {
	case has && !had:
		v.values++
	case had && !has:
		v.values--
	default:
		return
	}
	v.ids = nil
}

// sweep removes what the snapshot did not show: it was removed while nobody was listening.
func (v *View[T]) sweep(generation uint64) {
	gone := map[Key]*slot[T]{}
	v.mu.RLock()
	for key, s := range v.slots {
		if s.generation != generation {
			gone[key] = s
		}
	}
	v.mu.RUnlock()
	for key, s := range gone {
		v.remove(key, s)
	}
}

// forget makes every message of the next snapshot count as new: the bucket is another one than
// that whose revisions are known.
func (v *View[T]) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.slots {
		s.entry.Revision = 0
	}
}

func (v *View[T]) notify(key Key) {
	v.mu.RLock()
	listeners := v.listeners
	v.mu.RUnlock()
	of := v.idOf(key)
	for _, f := range listeners {
		f(of)
	}
}

// setCurrent notes that the view is up to date, or that it was until proof.
func (v *View[T]) setCurrent(current bool, proof time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.current && !current {
		v.lastProof = proof
	}
	v.current = current
}
