package recent

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCacheStaysWithinItsBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := NewCache[int, int](10 * Overhead)
		sizes := map[int]int{}
		for i := range rapid.IntRange(1, 50).Draw(t, "puts") {
			key, size := rapid.IntRange(0, 20).Draw(t, "key"), rapid.IntRange(0, 12*Overhead).Draw(t, "size")
			c.Put(key, i, size)
			if size <= c.budget {
				sizes[key] = max(size, Overhead)
				if v, ok := c.Get(key); !ok || v != i {
					t.Fatalf("the newest value is gone")
				}
			}
			total := 0
			for _, k := range c.lru.Keys() {
				total += sizes[k]
			}
			if c.used != total || c.used > c.budget {
				t.Fatalf("used %d, sum %d, budget %d", c.used, total, c.budget)
			}
		}
	})
}
