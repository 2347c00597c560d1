package kv

import (
	"iter"
	"slices"
)

// Get returns the value of the key of some identifiers.
func (v *View[T]) Get(ids ...string) (Entry[T], bool) { return v.At(KeyOf(ids...)) }

// At returns the value of a key.
func (v *View[T]) At(key Key) (Entry[T], bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if s := v.slots[key]; s != nil && !s.broken {
		return s.entry(), true
	}
	return Entry[T]{}, false
}

// Remembered returns the value that a key had before it was broken.
func (v *View[T]) Remembered(key Key) (value T, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if s := v.slots[key]; s != nil && s.broken && s.remembered {
		return s.value, true
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
		if s := v.slots[v.keyOf(of)]; s != nil && !s.broken {
			page = append(page, Item[T]{of, s.entry()})
		}
	}
	return page
}

// All yields the values by identifier; no lock is held meanwhile.
func (v *View[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, of := range v.sortedIDs() {
			if e, ok := v.At(v.keyOf(of)); ok && !yield(of, e.Value) {
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
		for key, s := range v.slots {
			if !s.broken {
				v.ids = append(v.ids, v.idOf(key))
			}
		}
		slices.Sort(v.ids)
	}
	return v.ids
}

// idOf is what a key is listed by: its identifier, or in a space of several tokens itself.
func (v *View[T]) idOf(key Key) string {
	if v.keys.Tokens > 1 {
		return string(key)
	}
	return key.ID()
}

func (v *View[T]) keyOf(listed string) Key {
	if v.keys.Tokens > 1 {
		return Key(listed)
	}
	return KeyOf(listed)
}
