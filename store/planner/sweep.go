package planner

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// edge is a moment at which an amount begins or ceases to be used.
type edge struct {
	at     int64
	amount Amount
}

func byTime(a, b edge) int { return cmp.Compare(a.at, b.at) }

// sweep turns the begins and ends of bookings into steps: use[i] holds from at[i] until at[i+1], the
// last one for ever. The first step is 0 from the beginning of time; neighbours differ.
func sweep(begins, ends []edge) (at []int64, use []Amount) {
	slices.SortFunc(begins, byTime)
	slices.SortFunc(ends, byTime)
	at = append(make([]int64, 0, 2*len(begins)+1), math.MinInt64)
	use = append(make([]Amount, 0, 2*len(begins)+1), 0)
	var level sum
	for len(ends) > 0 { // every booking ends after it begins, so ends last longest
		now := ends[0].at
		if len(begins) > 0 {
			now = min(now, begins[0].at)
		}
		for ; len(begins) > 0 && begins[0].at == now; begins = begins[1:] {
			level.add(begins[0].amount)
		}
		for ; len(ends) > 0 && ends[0].at == now; ends = ends[1:] {
			level.sub(ends[0].amount)
		}
		if amount := level.amount(); amount != use[len(use)-1] {
			at, use = append(at, now), append(use, amount)
		}
	}
	return at, use
}

// sum adds up amounts exactly in 128 bits: ten of the largest would overflow an Amount, and a sum
// that had saturated could not be taken back.
type sum struct{ high, low uint64 }

func (s *sum) add(a Amount) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, uint64(a), 0)
	s.high += carry
}

func (s *sum) sub(a Amount) {
	var borrow uint64
	s.low, borrow = bits.Sub64(s.low, uint64(a), 0)
	s.high -= borrow
}

// amount is the sum, or the largest Amount when it is more.
func (s *sum) amount() Amount {
	if s.high > 0 || s.low > math.MaxInt64 {
		return math.MaxInt64
	}
	return Amount(s.low)
}
