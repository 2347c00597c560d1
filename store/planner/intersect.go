package planner

import "math"

// Intersect is when all of gs are free; always when there are none. It takes O(n log k) for n gaps
// in k lists: they are joined in pairs, and the pairs again.
func Intersect(gs ...*Gaps) *Gaps {
	switch len(gs) {
	case 0:
		return always
	case 1:
		return gs[0]
	}
	return newGaps(intersect(gs))
}

// Starts is when something may start that needs what is free from then on: not at once but after some time,
// and until another, later one. Both are counted from the start and not negative.
func (g *Gaps) Starts(after, until int64) *Gaps {
	var list []Interval
	for i, length := range g.lengths.values {
		gap := g.at(i)
		if length < uint64(until-after) {
			continue
		}
		start := Interval{max(gap.Start, math.MinInt64+after) - after, math.MaxInt64}
		if gap.End != math.MaxInt64 {
			start.End = max(gap.End, math.MinInt64+until) - until + 1
		}
		list = append(list, start)
	}
	return newGaps(list)
}

func intersect(gs []*Gaps) []Interval {
	if len(gs) == 1 {
		return gs[0].intervals()
	}
	half := len(gs) / 2
	return common(intersect(gs[:half]), intersect(gs[half:]))
}

func (g *Gaps) intervals() []Interval {
	list := make([]Interval, len(g.starts))
	for i := range list {
		list[i] = g.at(i)
	}
	return list
}

// common is what lies in both lists.
func common(a, b []Interval) []Interval {
	both := make([]Interval, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		shared := Interval{max(a[0].Start, b[0].Start), min(a[0].End, b[0].End)}
		if shared.Start < shared.End {
			both = append(both, shared)
		}
		if a[0].End < b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}
