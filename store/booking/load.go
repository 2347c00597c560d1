package booking

import (
	"iter"
	"slices"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// sum is what some items take together. nil is nothing.
type sum struct {
	whole   planner.Amount // how many of them take the instance entirely, as amounts of one
	amounts []planner.Quantity
}

func sumOf(need workflow.Need) sum {
	if need.Whole {
		return sum{whole: planner.Unit}
	}
	return sum{amounts: slices.Clone(need.Demand)}
}

func (s *sum) add(need workflow.Need) {
	if need.Whole {
		s.whole = s.whole.Add(planner.Unit)
	}
	s.amounts = added(s.amounts, need.Demand)
}

func (s *sum) plus(other *sum) sum {
	return sum{s.whole.Add(other.whole), added(slices.Clone(s.amounts), other.amounts)}
}

// added adds more to the amounts of a list.
func added(list, more []planner.Quantity) []planner.Quantity {
	for _, q := range more {
		i := slices.IndexFunc(list, func(have planner.Quantity) bool { return have.Dimension == q.Dimension })
		if i < 0 {
			list = append(list, q)
		} else {
			list[i].Amount = list[i].Amount.Add(q.Amount)
		}
	}
	return list
}

// taken: something, by some positive amount.
func (s *sum) taken() bool { return s != nil && (s.whole > 0 || len(s.amounts) > 0) }

// of is how much is taken of a dimension, of which there is so much in all.
func (s *sum) of(dimension string, capacity planner.Amount) planner.Amount {
	switch {
	case s == nil:
		return 0
	case s.whole > 0:
		return capacity
	}
	for _, q := range s.amounts {
		if q.Dimension == dimension {
			return q.Amount
		}
	}
	return 0
}

// load is what the items placed so far take of one instance.
type load struct {
	throughout sum    // by those that are needed for all of the window
	parts      []part // by the others: in order, none overlaps another
}

// part is a part of the window in which the same items are needed.
type part struct {
	workflow.Span
	sum
}

func (l *load) add(need workflow.Need) {
	if need.Span == (workflow.Span{}) {
		l.throughout.add(need)
		return
	}
	l.split(need.Span.Start)
	l.split(need.Span.End)
	from, n := need.Span.Start, l.after(need.Span.Start)
	fill := func(until time.Duration) {
		if from < until {
			l.parts = slices.Insert(l.parts, n, part{workflow.Span{Start: from, End: until}, sumOf(need)})
			n++
		}
	}
	for ; n < len(l.parts) && l.parts[n].Start < need.Span.End; n++ {
		fill(l.parts[n].Start)
		l.parts[n].add(need)
		from = l.parts[n].End
	}
	fill(need.Span.End)
}

// after is the first part that ends after a time.
func (l *load) after(t time.Duration) int {
	n, _ := slices.BinarySearchFunc(l.parts, t, func(p part, t time.Duration) int {
		if p.End <= t {
			return -1
		}
		return 1
	})
	return n
}

// meeting is how many parts a need meets.
func (l *load) meeting(need workflow.Need) int {
	if need.Span == (workflow.Span{}) || len(l.parts) == 0 {
		return len(l.parts)
	}
	return l.after(need.Span.End) - l.after(need.Span.Start)
}

// split makes two of the part that a time lies in.
func (l *load) split(t time.Duration) {
	n := l.after(t)
	if n == len(l.parts) || t <= l.parts[n].Start {
		return
	}
	head := part{workflow.Span{Start: l.parts[n].Start, End: t}, l.parts[n].plus(&sum{})}
	l.parts[n].Start = t
	l.parts = slices.Insert(l.parts, n, head)
}

// over divides an interval of a window where the load changes; part is what is taken there besides
// what is taken throughout. Of an interval that is empty there is one piece, with nothing.
func (l *load) over(i, window planner.Interval) iter.Seq2[planner.Interval, *sum] {
	return func(yield func(piece planner.Interval, part *sum) bool) {
		for n := l.after(time.Duration(i.Start - window.Start)); n < len(l.parts); n++ {
			p := l.parts[n].Of(window)
			if p.Start, p.End = max(p.Start, i.Start), min(p.End, i.End); p.Start >= p.End {
				break
			}
			if i.Start < p.Start && !yield(planner.Interval{Start: i.Start, End: p.Start}, nil) {
				return
			}
			if !yield(p, &l.parts[n].sum) {
				return
			}
			if i.Start = p.End; i.Start == i.End {
				return
			}
		}
		yield(i, nil)
	}
}
