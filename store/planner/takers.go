package planner

import (
	"slices"
	"sort"
)

// Takers tells who takes a positive amount of a dimension at some moment of [start, end): the ids of
// the bookings laid over the planner, sorted, and whether the planner itself tells of any such slot.
func (i *Instance) Takers(dimension string, start, end int64) (bookings []string, planner bool) {
	m, ok := i.measure(dimension)
	if !ok {
		return nil, false
	}
	return i.takers(m, start, end)
}

// Occupants tells who takes anything at all of the instance at some moment of [start, end), as Takers.
func (i *Instance) Occupants(start, end int64) (bookings []string, planner bool) {
	return i.takers(i.occupancy(), start, end)
}

func (i *Instance) takers(m measure, start, end int64) (bookings []string, planner bool) {
	planner = i.rest(m).MaxUse(start, end) > 0
	if i.beside == nil || start >= end {
		return nil, planner
	}
	slots := i.beside.bookings.slots
	for k := range sort.Search(len(slots), func(k int) bool { return slots[k].Start >= end }) {
		if s := &slots[k]; start < s.End && s.takes(i.index.planner, m) > 0 {
			bookings = append(bookings, s.BookingID)
		}
	}
	slices.Sort(bookings)
	return slices.Compact(bookings), planner
}
