package check

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// frameOverhead is what an entry of a cache weighs beside its content.
const frameOverhead = 256

// cache keeps the most recently used values within a budget of bytes.
type cache[K comparable, V any] struct {
	mu     sync.Mutex
	lru    *simplelru.LRU[K, weighed[V]]
	used   int
	budget int
}

type weighed[V any] struct {
	value V
	bytes int
}

func newCache[K comparable, V any](budget int) *cache[K, V] {
	c := &cache[K, V]{budget: budget}
	// The number of entries is bounded by the budget alone: every entry weighs at least frameOverhead.
	c.lru, _ = simplelru.NewLRU(budget/frameOverhead+1, func(_ K, w weighed[V]) { c.used -= w.bytes })
	return c
}

func (c *cache[K, V]) get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.lru.Get(key)
	return w.value, ok
}

// put keeps value, unless it alone is above the budget, and forgets the least recently used ones.
func (c *cache[K, V]) put(key K, value V, bytes int) {
	bytes = max(bytes, frameOverhead)
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
