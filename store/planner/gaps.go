package planner

import "math"

// Gaps are the maximal intervals in which something is free, in order, with maxima of their lengths:
// the next gap that is long enough is found without visiting the short ones before it.
type Gaps struct {
	starts  []int64
	lengths maxima[uint64] // end - start, exact in 64 bits without sign; forEver when there is no end
}

const forEver = math.MaxUint64

var (
	always = newGaps([]Interval{{math.MinInt64, math.MaxInt64}})
	never  = newGaps(nil)
)

func newGaps(intervals []Interval) *Gaps {
	starts, lengths := make([]int64, len(intervals)), make([]uint64, len(intervals))
	for i, gap := range intervals {
		starts[i], lengths[i] = gap.Start, uint64(gap.End-gap.Start) // wraps to the right length
		if gap.End == math.MaxInt64 {
			lengths[i] = forEver
		}
	}
	return &Gaps{starts, newMaxima(lengths)}
}

// gapsBelow lists the intervals in which use is at most limit.
func gapsBelow(s steps, limit Amount) *Gaps {
	at, use := s.at, s.use
	gaps := make([]Interval, 0, len(at)/2+1)
	for i := 0; i < len(at); i++ {
		if use[i] > limit {
			continue
		}
		gap := Interval{at[i], math.MaxInt64}
		for i++; i < len(at); i++ {
			if use[i] > limit {
				gap.End = at[i]
				break
			}
		}
		gaps = append(gaps, gap)
	}
	return newGaps(gaps)
}

// at is the i-th gap.
func (g *Gaps) at(i int) Interval {
	if g.lengths.values[i] == forEver {
		return Interval{g.starts[i], math.MaxInt64}
	}
	return Interval{g.starts[i], g.starts[i] + int64(g.lengths.values[i])}
}

// holding is the number of the gap that t lies in, and its end.
func (g *Gaps) holding(t int64) (i int, end int64, ok bool) {
	if i = lastAtOrBefore(g.starts, t); i < 0 {
		return i, 0, false
	}
	end = g.at(i).End
	return i, end, t < end
}

// Earliest is the first start at or after t with [start, start+d) inside one gap; ok is false when
// there is none. In a gap without end everything fits.
func (g *Gaps) Earliest(t, d int64) (start int64, ok bool) {
	long := uint64(max(d, 0))
	i, end, inside := g.holding(t)
	if inside && (end == math.MaxInt64 || uint64(end-t) >= long) {
		return t, true
	}
	if i++; i == len(g.starts) {
		return 0, false
	}
	if i = g.lengths.next(i, long); i == len(g.starts) {
		return 0, false
	}
	return g.starts[i], true
}

// Until is the end of the gap that holds t, math.MaxInt64 when it lasts for ever; ok is false when t
// is in no gap.
func (g *Gaps) Until(t int64) (end int64, ok bool) {
	_, end, ok = g.holding(t)
	if !ok {
		return 0, false
	}
	return end, true
}

// weight is the memory that g holds, in bytes.
func (g *Gaps) weight() int64 {
	return int64(96 + 8*(len(g.starts)+len(g.lengths.values)+len(g.lengths.tree)))
}
