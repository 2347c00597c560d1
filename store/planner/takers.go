package planner

import (
	"iter"
	"slices"
)

// Takers tells who takes a positive amount of a dimension at some moment of [start, end): the owners of
// bookings laid over the planner, sorted, and whether the planner itself tells of any such slot.
func (i *Instance) Takers(dimension string, start, end int64) (owners []string, planner bool) {
	m, ok := i.measure(dimension)
	if !ok {
		return nil, false
	}
	return i.takers(m, Interval{start, end})
}

// Occupants tells who takes anything at all of the instance at some moment of [start, end), as Takers.
func (i *Instance) Occupants(start, end int64) (owners []string, planner bool) {
	return i.takers(i.occupancy(), Interval{start, end})
}

func (i *Instance) takers(m measure, during Interval) (owners []string, planner bool) {
	planner = i.rest(m).MaxUse(during.Start, during.End) > 0
	if i.beside == nil {
		return nil, planner
	}
	for s := range i.beside.bookings.meeting(during) {
		if s.takes(i.index.planner, m) > 0 {
			owners = append(owners, s.Owner)
		}
	}
	slices.Sort(owners)
	return slices.Compact(owners), planner
}

// meeting are the slots that meet an interval.
func (s *standing) meeting(i Interval) iter.Seq[*Slot] {
	return func(yield func(*Slot) bool) {
		for k := range s.ends().meeting(i, 0, len(s.slots), func(k int) int64 { return s.slots[k].Start }) {
			if !yield(s.slots[k]) {
				return
			}
		}
	}
}
