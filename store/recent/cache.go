// Package recent keeps values that were used of late, within a budget of bytes.
package recent

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Overhead is what an entry of a cache weighs beside its content, and what it weighs at least.
const Overhead = 256

// Cache keeps the most recently used values within a budget of bytes. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	mu     sync.Mutex
	lru    *simplelru.LRU[K, weighed[V]]
	used   int
	budget int
}

type weighed[V any] struct {
	value V
	bytes int
}

// NewCache is an empty cache with a budget of bytes.
func NewCache[K comparable, V any](budget int) *Cache[K, V] {
	c := &Cache[K, V]{budget: budget}
	// The number of entries is bounded by the budget alone: every entry weighs at least Overhead.
	c.lru, _ = simplelru.NewLRU(budget/Overhead+1, func(_ K, w weighed[V]) { c.used -= w.bytes })
	return c
}

// Get is the value of a key, if it is kept.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.lru.Get(key)
	return w.value, ok
}

// Put keeps a value of so many bytes, unless it alone is above the budget, and forgets the least recently used ones.
func (c *Cache[K, V]) Put(key K, value V, bytes int) {
	bytes = max(bytes, Overhead)
	if bytes > c.budget {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.lru.Peek(key); ok {
		c.used -= old.bytes // Add replaces it in silence
	}
	c.lru.Add(key, weighed[V]{value, bytes})
	for c.used += bytes; c.used > c.budget; {
		c.lru.RemoveOldest()
	}
}
