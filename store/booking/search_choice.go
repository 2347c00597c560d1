package booking

import (
	"math"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// alternatives is a single item that may go on any of several instances: it fits when one does.
type alternatives [][]finder // for each candidate, a finder a dimension

func (g *group) alternatives() finder {
	it := g.items[0]
	a := alternatives{}
	for _, c := range it.candidates {
		var finders []finder
		for _, gaps := range c.gaps(sumOf(it.need)) {
			finders = append(finders, during{it.need.Span, gaps})
		}
		a = append(a, finders)
	}
	return a
}

func (a alternatives) next(t, length int64, steps *budget) (first int64, found bool) {
	first = math.MaxInt64 - length
	for _, finders := range a {
		if start, ok := agree(finders, t, length, first, steps); ok {
			first, found = start, true
		}
		if first == t || *steps < 0 {
			break
		}
	}
	return first, found && *steps >= 0
}

// greedy is a group of several items with a choice of instances. Placement is greedy without
// backtracking, so a later time may fit because an instance got *worse* and an item moved on from
// it. The search therefore follows the decisions themselves: each holds until a known time, and
// the next start worth a try is the first at which any of them changes.
type greedy struct{ *group }

func (g greedy) next(t, length int64, steps *budget) (int64, bool) {
	for {
		window := planner.Interval{Start: t, End: t + length}
		change := int64(math.MaxInt64)
		placed := g.placed(func(c *candidate, need workflow.Need, beside *load) bool {
			ok, until := verdict(constraints(c.instance, need, beside, window), t, steps)
			change = min(change, until)
			return ok
		}, steps)
		switch {
		case *steps < 0:
			return 0, false
		case placed:
			return t, true
		case change > math.MaxInt64-length:
			return 0, false
		}
		t = change
	}
}

// verdict tells whether constraints hold in a window that starts at t, and the first later start at
// which that may change.
func verdict(l []constraint, t int64, steps *budget) (ok bool, until int64) {
	until = math.MaxInt64
	for _, k := range l {
		steps.spend(1)
		if k.Start == k.End && k.asked() <= k.timeline.Capacity() {
			continue // not in this window, nor in another one of its length
		}
		if !k.timeline.Kept(k.asked()) {
			steps.spend(k.timeline.Len() / 16) // the list has to be built
		}
		gaps := k.timeline.Gaps(k.asked())
		start, fits := gaps.Earliest(k.Start, k.End-k.Start)
		switch {
		case !fits:
			return false, math.MaxInt64
		case start > k.Start:
			return false, t + (start - k.Start) // not before: the other constraints can only make it later
		}
		if end, _ := gaps.Until(k.Start); end != math.MaxInt64 {
			until = min(until, t+(end-k.End)+1)
		}
	}
	return true, until
}
