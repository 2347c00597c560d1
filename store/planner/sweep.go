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

// edges are when bookings begin and end.
type edges struct{ begins, ends []edge }

func newEdges(n int) edges { return edges{make([]edge, 0, n), make([]edge, 0, n)} }

func (e *edges) add(i Interval, amount Amount) {
	if amount > 0 {
		e.begins, e.ends = append(e.begins, edge{i.Start, amount}), append(e.ends, edge{i.End, amount})
	}
}

// sweep adds up what bookings take.
func sweep(e edges) steps {
	begins, ends := e.begins, e.ends
	slices.SortFunc(begins, byTime)
	slices.SortFunc(ends, byTime)
	s := newSteps(2 * len(begins))
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
		s.change(now, level.amount())
	}
	return s
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
