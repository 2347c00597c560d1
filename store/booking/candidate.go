package booking

import (
	"slices"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// wholeInstance is the name, in conflicts, of the pseudo dimension that a need of the whole
// instance asks one unit of.
const wholeInstance = "instance"

// candidate is an instance that an item may be placed on.
type candidate struct {
	instance *planner.Instance
	nth      int // its place among the group's candidates
}

// constraint is one line of what a need asks of an instance at a time: requested, beside taken, of
// what a timeline has left.
type constraint struct {
	planner.Interval
	dimension string
	timeline  *planner.Timeline
	requested planner.Amount
	taken     planner.Amount // by the items placed before
}

// uses is what is in use of an instance, by those who count.
type uses interface {
	Timeline(dimension string) *planner.Timeline
	Occupancy() *planner.Timeline
}

// constraints lists what need asks of an instance beside a load in a window, the pieces of each dimension
// in order; a need of zero asks for nothing.
func constraints(of uses, need workflow.Need, beside *load, window planner.Interval) []constraint {
	when, beside := meet(need, beside, window)
	if need.Whole {
		list := make([]constraint, 0, 1)
		for piece, part := range beside.over(when, window) {
			k := constraint{piece, wholeInstance, of.Occupancy(), planner.Unit, 0}
			if beside.throughout.taken() || part.taken() {
				k.taken = planner.Unit
			}
			list = append(list, k)
		}
		return list
	}
	list := make([]constraint, 0, len(need.Demand))
	for _, q := range need.Demand {
		k := constraint{dimension: q.Dimension, timeline: of.Timeline(q.Dimension), requested: q.Amount}
		for piece, part := range beside.over(when, window) {
			k.Interval, k.taken = piece, beside.of(q.Dimension, k.timeline.Capacity(), part)
			list = append(list, k)
		}
	}
	return list
}

var nothing load

// meet is when a need is needed, and what it meets there: nothing when that is no time at all.
func meet(need workflow.Need, beside *load, window planner.Interval) (planner.Interval, *load) {
	when := need.Span.Of(window)
	if when.Start == when.End {
		return when, &nothing
	}
	return when, beside
}

// of is how much is taken of a dimension in a part of the window.
func (l *load) of(dimension string, capacity planner.Amount, part *sum) planner.Amount {
	return l.throughout.of(dimension, capacity).Add(part.of(dimension, capacity))
}

// asked is what the constraint needs free of bookings.
func (k constraint) asked() planner.Amount { return k.requested.Add(k.taken) }

// free is what use leaves of the capacity to this constraint.
func (k constraint) free(use planner.Amount) planner.Amount {
	return k.timeline.Capacity().Minus(use).Minus(k.taken)
}

// holds: the need fits beside the load throughout the time in which the window needs it.
func holds(window planner.Interval) fit {
	return func(c *candidate, need workflow.Need, beside *load) bool {
		return met(constraints(c.instance, need, beside, window))
	}
}

// holdsFirm: the need would fit if all gave way that may: the planner's slots, and bookings that yield.
func holdsFirm(window planner.Interval) fit {
	return func(c *candidate, need workflow.Need, beside *load) bool {
		return met(constraints(c.instance.Firm(), need, beside, window))
	}
}

func met(list []constraint) bool {
	return !slices.ContainsFunc(list, func(k constraint) bool {
		return k.timeline.MaxUse(k.Start, k.End).Add(k.asked()) > k.timeline.Capacity()
	})
}

// holdsEmpty: the need would fit beside the load if nothing were booked.
func holdsEmpty(window planner.Interval) fit {
	return func(c *candidate, need workflow.Need, beside *load) bool {
		when, beside := meet(need, beside, window)
		for _, part := range beside.over(when, window) {
			if need.Whole && (beside.throughout.taken() || part.taken()) {
				return false
			}
			for _, q := range need.Demand {
				capacity := c.instance.Capacity(q.Dimension)
				if q.Amount.Add(beside.of(q.Dimension, capacity, part)) > capacity {
					return false
				}
			}
		}
		return true
	}
}
