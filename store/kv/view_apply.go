package kv

import (
	"context"

	"github.com/nats-io/nats.go"
)

// apply takes in one message of the bucket. Only the goroutine of Run calls it.
func (v *View[T]) apply(ctx context.Context, m *nats.Msg, md *nats.MsgMetadata, generation uint32) {
	key := v.keys.Key(m.Subject)
	v.mu.RLock()
	known := v.slots[key] // only Run changes slots, so this stays true without the lock
	v.mu.RUnlock()
	if known != nil && md.Sequence.Stream <= known.revision {
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
	next := &slot[T]{value: value, revision: md.Sequence.Stream, stored: md.Timestamp.UnixNano(), broken: err != nil, generation: generation}
	if err != nil {
		v.log.WarnContext(ctx, "stored value cannot be decoded; it counts as absent", "key", key, "revision", md.Sequence.Stream, "error", err)
	}
	v.set(key, known, next, err)
}

func (v *View[T]) set(key Key, known, next *slot[T], broken error) {
	v.mu.Lock()
	had := known != nil && !known.broken
	if next.broken && known != nil {
		next.value, next.remembered = known.value, had || known.remembered
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
		v.replaced(key, shown(known), shown(next))
		v.notify(key)
	}
}

// shown is the value of a slot, if it has one.
func shown[T any](s *slot[T]) (value T) {
	if s != nil && !s.broken {
		value = s.value
	}
	return value
}

func (v *View[T]) remove(key Key, known *slot[T]) {
	v.mu.Lock()
	delete(v.slots, key)
	delete(v.broken, string(key))
	v.countLocked(!known.broken, false)
	v.mu.Unlock()
	if !known.broken {
		var none T
		v.replaced(key, known.value, none)
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
func (v *View[T]) sweep(generation uint32) {
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

// forget makes every message of the next snapshot count as new.
func (v *View[T]) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.slots {
		s.revision = 0
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

// without lists the identifiers of what the view shows, of a revision up to last, while nothing stands on its
// subject any more, not even a marker; "" for a key that stands for none.
func (v *View[T]) without(subjects map[string]uint64, last uint64) (gone []string) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for key, s := range v.slots {
		if s.revision <= last && subjects[v.keys.Prefix+string(key)] == 0 {
			gone = append(gone, v.idOf(key))
		}
	}
	return gone
}

func (v *View[T]) vanish(ctx context.Context, gone []string) { v.vanished(ctx, gone) }

func (v *View[T]) prefix() string { return v.keys.Prefix }
