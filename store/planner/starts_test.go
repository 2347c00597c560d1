package planner_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

// TestStarts: the first start from which on something is free for a part of the time, found by trying each.
func TestStarts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := drawNeed(rt, drawWorld(rt).twins(t))
		after := rapid.Int64Range(0, 8).Draw(rt, "after")
		until := after + rapid.Int64Range(1, 8).Draw(rt, "lasts")
		starts := n.Gaps(n.amount).Starts(after, until)
		for from := int64(-20); from <= worldEnd; from++ {
			want, found := from, false
			for ; want <= worldEnd && !found; want++ {
				found = true
				for now := want + after; now < want+until; now++ {
					found = found && n.free(n.amount, now)
				}
			}
			got, ok := starts.Earliest(origin+from, 1)
			if ok != found || found && got != origin+want-1 {
				rt.Fatalf("%v from %d for %d to %d: at %d, %t, want %d, %t", n, from, after, until, got-origin, ok, want-1, found)
			}
		}
	})
}

// TestStartsWithoutBounds: neither end of time is passed.
func TestStartsWithoutBounds(t *testing.T) {
	t.Parallel()
	for _, until := range []int64{1, math.MaxInt64} {
		starts := planner.Intersect().Starts(until-1, until)
		for _, from := range []int64{math.MinInt64, 0, math.MaxInt64 - 1} {
			if got, ok := starts.Earliest(from, 1); got != from || !ok {
				t.Errorf("from %d: %d, %t", from, got, ok)
			}
		}
	}
}
