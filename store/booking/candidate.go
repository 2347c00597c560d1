package booking

import (
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

// load is what the items placed so far take of one instance.
type load struct {
	taken   bool // by some positive amount
	whole   bool // entirely
	amounts []planner.Quantity
}

func (l *load) add(need workflow.Need) {
	l.whole = l.whole || need.Whole
	l.taken = l.taken || need.Whole || len(need.Demand) > 0
next:
	for _, q := range need.Demand {
		for i := range l.amounts {
			if l.amounts[i].Dimension == q.Dimension {
				l.amounts[i].Amount = l.amounts[i].Amount.Add(q.Amount)
				continue next
			}
		}
		l.amounts = append(l.amounts, q)
	}
}

func (l *load) of(dimension string) planner.Amount {
	for _, q := range l.amounts {
		if q.Dimension == dimension {
			return q.Amount
		}
	}
	return 0
}

// constraint is one line of what a need asks of an instance: requested, beside taken, of what a
// timeline has left.
type constraint struct {
	dimension string
	timeline  *planner.Timeline
	requested planner.Amount
	taken     planner.Amount // by the items placed before
}

// constraints lists what need asks of c beside a load; a need of zero asks for nothing.
func (c *candidate) constraints(need workflow.Need, beside *load) []constraint {
	if need.Whole {
		k := constraint{wholeInstance, c.instance.Occupancy(), planner.Unit, 0}
		if beside.taken {
			k.taken = planner.Unit
		}
		return []constraint{k}
	}
	list := make([]constraint, 0, len(need.Demand))
	for _, q := range need.Demand {
		k := constraint{q.Dimension, c.instance.Timeline(q.Dimension), q.Amount, beside.of(q.Dimension)}
		if beside.whole {
			k.taken = k.timeline.Capacity()
		}
		list = append(list, k)
	}
	return list
}

// asked is what the constraint needs free of bookings.
func (k constraint) asked() planner.Amount { return k.requested.Add(k.taken) }

// free is what use leaves of the capacity to this constraint.
func (k constraint) free(use planner.Amount) planner.Amount {
	return k.timeline.Capacity().Minus(use).Minus(k.taken)
}

// holds: the need fits beside the load throughout [start, end).
func holds(start, end int64) fit {
	return func(c *candidate, need workflow.Need, beside *load) bool {
		for _, k := range c.constraints(need, beside) {
			if k.timeline.MaxUse(start, end).Add(k.asked()) > k.timeline.Capacity() {
				return false
			}
		}
		return true
	}
}

// holdsEmpty: the need would fit beside the load if nothing were booked.
func (c *candidate) holdsEmpty(need workflow.Need, beside *load) bool {
	switch {
	case need.Whole:
		return !beside.taken
	case beside.whole && len(need.Demand) > 0:
		return false
	}
	for _, q := range need.Demand {
		if q.Amount.Add(beside.of(q.Dimension)) > c.instance.Capacity(q.Dimension) {
			return false
		}
	}
	return true
}
