package planner

import (
	"math"
	"slices"
)

// steps is an amount over time: use[i] holds from at[i] until at[i+1], the last one for ever. The
// first is from the beginning of time; neighbours differ.
type steps struct {
	at  []int64
	use []Amount
}

// flat is nothing at all times.
var flat = newSteps(0)

// newSteps has room for n changes, and none.
func newSteps(n int) steps {
	return steps{append(make([]int64, 0, n+1), math.MinInt64), append(make([]Amount, 0, n+1), 0)}
}

// change appends that the amount is another from now on.
func (s *steps) change(now int64, amount Amount) {
	if amount != s.use[len(s.use)-1] {
		s.at, s.use = append(s.at, now), append(s.use, amount)
	}
}

func (s steps) equal(other steps) bool {
	return slices.Equal(s.at, other.at) && slices.Equal(s.use, other.use)
}

// and is s with more, and without less, which is a part of s where s has not saturated.
func (s steps) and(more, less steps) steps {
	if len(more.at) == 1 && len(less.at) == 1 {
		return s
	}
	sum := newSteps(len(s.at) + len(more.at) + len(less.at))
	var i, j, k int
	for now := int64(math.MinInt64); ; {
		amount := s.use[i].Minus(less.use[k]).Add(more.use[j])
		if now == math.MinInt64 {
			sum.use[0] = amount
		} else {
			sum.change(now, amount)
		}
		next := min(s.until(i), more.until(j), less.until(k))
		if next == math.MaxInt64 {
			return sum
		}
		now = next
		i, j, k = s.next(i, now), more.next(j, now), less.next(k, now)
	}
}

// until is when the i-th step ends; math.MaxInt64 for the last one.
func (s *steps) until(i int) int64 {
	if i+1 == len(s.at) {
		return math.MaxInt64
	}
	return s.at[i+1]
}

// next is the step that holds at a time at which the i-th may end.
func (s *steps) next(i int, now int64) int {
	if s.until(i) == now {
		return i + 1
	}
	return i
}
