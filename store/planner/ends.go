package planner

import (
	"iter"
	"math"
	"sort"
)

// ends are when slots end that are in order of their starts: those that meet an interval are found
// without a look at the others.
type ends struct{ maxima[uint64] }

// unsigned keeps the order of times; none but the beginning of time is 0.
func unsigned(t int64) uint64 { return uint64(t) ^ (1 << 63) }

func newEnds(n int, end func(k int) int64) ends {
	values := make([]uint64, n)
	for k := range values {
		values[k] = unsigned(end(k))
	}
	return ends{newMaxima(values)}
}

// meeting are the places in [from, until) of slots that meet an interval; start is when one begins.
func (e ends) meeting(i Interval, from, until int, start func(k int) int64) iter.Seq[int] {
	return func(yield func(k int) bool) {
		if i.Start >= i.End || i.Start == math.MaxInt64 {
			return
		}
		until = from + sort.Search(until-from, func(k int) bool { return start(from+k) >= i.End })
		for k := from; k < until; k++ {
			if k = e.next(k, unsigned(i.Start+1)); k >= until || !yield(k) {
				return
			}
		}
	}
}
