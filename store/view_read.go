package store

import (
	"iter"
	"slices"

	"oc-scheduler/store/id"
)

// Get returns the value of an identifier.
func (v *View[T]) Get(of string) (Entry[T], bool) {
	key := id.Key(of)
	v.mu.RLock()
	defer v.mu.RUnlock()
	if s := v.slots[key]; s != nil && !s.broken {
		return s.entry, true
	}
	return Entry[T]{}, false
}

// remembered returns the value that an identifier had before it was broken.
func (v *View[T]) remembered(of string) (value T, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if s := v.slots[id.Key(of)]; s != nil && s.broken && s.remembered {
		return s.entry.Value, true
	}
	return value, false
}

// Len is the number of values.
func (v *View[T]) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.values
}

// Page lists up to limit values, sorted by identifier (byte order), that come after the given one.
// Pages read one after the other miss nothing that stayed in the bucket meanwhile.
func (v *View[T]) Page(after string, limit int) []Item[T] {
	ids := v.sortedIDs()
	start, found := slices.BinarySearch(ids, after)
	if found {
		start++
	}
	ids = ids[start:]
	v.mu.RLock()
	defer v.mu.RUnlock()
	page := make([]Item[T], 0, max(min(limit, len(ids)), 0))
	for _, of := range ids {
		if len(page) >= limit {
			break
		}
		if s := v.slots[id.Key(of)]; s != nil && !s.broken {
			page = append(page, Item[T]{of, s.entry})
		}
	}
	return page
}

// all yields the values by identifier; no lock is held meanwhile.
func (v *View[T]) all() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, of := range v.sortedIDs() {
			if e, ok := v.Get(of); ok && !yield(of, e.Value) {
				return
			}
		}
	}
}

// sortedIDs returns the identifiers of all values; the slice is shared and never changed.
func (v *View[T]) sortedIDs() []string {
	v.mu.RLock()
	ids := v.ids
	v.mu.RUnlock()
	if ids != nil {
		return ids
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ids == nil {
		v.ids = make([]string, 0, v.values)
		for _, s := range v.slots {
			if !s.broken {
				v.ids = append(v.ids, s.id)
			}
		}
		slices.Sort(v.ids)
	}
	return v.ids
}
