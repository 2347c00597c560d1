package planner

import "iter"

// Bookings are those of ours that stand with a peer, kept by somebody who finds those that meet a time.
// They stay the same as long as somebody asks.
type Bookings interface {
	// Meeting are the slots on an instance that meet an interval; nobody changes them.
	Meeting(ref Ref, i Interval) iter.Seq[*Slot]
	// Stands tells whether a booking is among them.
	Stands(bookingID string) bool
}

// MaxUse is the most of a dimension that is in use at any moment of an interval when bookings count too:
// what the Timeline tells of an index with an overlay of them, without making either. It costs nothing
// for bookings, and slots, that don't meet the interval. What is laid over the index doesn't count.
func (i *Instance) MaxUse(dimension string, during Interval, b Bookings) Amount {
	m, ok := i.measure(dimension)
	if !ok {
		return 0
	}
	return i.maxUse(m, during, b)
}

// MaxOccupancy is MaxUse of the occupancy.
func (i *Instance) MaxOccupancy(during Interval, b Bookings) Amount {
	return i.maxUse(i.occupancy(), during, b)
}

func (i *Instance) maxUse(m measure, during Interval, b Bookings) (most Amount) {
	if i.beside != nil {
		i = i.beside.alone
	}
	p, below := i.index.planner, i.timeline(m)
	more, less := newEdges(0), newEdges(0)
	for s := range b.Meeting(i.ref(), during) {
		more.add(s.Interval, s.takes(p, m))
	}
	if returned := i.returned(during, b); len(returned) > 0 && below.saturated() {
		below = newTimeline(m.capacity, sweep(i.gather(m, returned)), new(shelf))
	} else {
		less = p.gather(returned, m)
	}
	added, removed := sweep(more), sweep(less)
	for at := during.Start; at < during.End; {
		j, k := lastAtOrBefore(added.at, at), lastAtOrBefore(removed.at, at)
		next := min(added.until(j), removed.until(k), during.End)
		most = max(most, below.MaxUse(at, next).Minus(removed.use[k]).Add(added.use[j]))
		at = next
	}
	return most
}

func (i *Instance) ref() Ref { return Ref{i.index.planner.name(i.resource), i.ID()} }

// returned are the planner's slots that meet an interval and are bookings which stand, ascending.
func (i *Instance) returned(during Interval, b Bookings) (slots []uint32) {
	p := i.index.planner
	if p.marks == nil || p.marks.void {
		return nil
	}
	for _, row := range []int{i.resource, i.row} {
		from, until := p.rangeOf(p.marks.slots, row)
		for k := range i.index.marked().meeting(during, from, until, func(k int) int64 { return p.slots[p.marks.slots[k]].Start }) {
			if b.Stands(p.marks.ids[p.marks.whose[k]]) {
				slots = append(slots, p.marks.slots[k])
			}
		}
	}
	return slots
}
