package planner

import "slices"

// The kinds of timelines of an instance: what counts in them.
const (
	everything = iota
	restOnly   // what the planner alone tells of
	firmOnly   // bookings that don't give way
	kinds
)

// place is where a timeline stands on the shelf. An instance that has no bookings has those of all alone.
func (i *Instance) place(m measure, kind int) int { return i.places + kind*i.measures() + m.nth }

// timeline is the use of a measure by all that counts.
func (i *Instance) timeline(m measure) *Timeline {
	return i.index.timeline(i.place(m, everything), func(s *shelf) *Timeline {
		if i.beside == nil {
			return newTimeline(m.capacity, sweep(i.gather(m, nil)), s)
		}
		return i.beside.over(m, i.beside.bookings, s)
	})
}

// rest is the use by what the planner alone tells of: without bookings, nor slots that are some.
func (i *Instance) rest(m measure) *Timeline {
	if i.beside == nil {
		return i.timeline(m)
	}
	return i.index.timeline(i.place(m, restOnly), func(s *shelf) *Timeline { return i.beside.over(m, nobody, s) })
}

// over lays bookings over what the planner tells, without the slots that have returned. Where that
// changes nothing it is the planner's own timeline, with all its gaps: so it is as long as a peer
// shows our bookings as they stand.
func (b *beside) over(m measure, bookings *standing, s *shelf) *Timeline {
	p, below := b.alone.index.planner, b.alone.timeline(m)
	use, less := below.steps(), flat
	switch {
	case len(b.returned) == 0:
	case below.saturated(): // what was cut off can't be taken back
		use = sweep(b.alone.gather(m, b.returned))
	default:
		less = sweep(p.gather(b.returned, m))
	}
	if use = use.and(sweep(bookings.gather(p, m)), less); use.equal(below.steps()) {
		return below
	}
	return newTimeline(m.capacity, use, s)
}

// gather collects what the slots of an instance's whole resource and its own take, without some of them,
// in this order, or those that do not count.
func (i *Instance) gather(m measure, without []uint32) edges {
	p := i.index.planner
	if p.marks != nil && p.marks.void { // then none returns
		without = slices.Concat(p.void(i.resource), p.void(i.row))
	}
	sharedFirst, sharedEnd := p.slotsOf(i.resource)
	ownFirst, ownEnd := p.slotsOf(i.row)
	e := newEdges(sharedEnd - sharedFirst + ownEnd - ownFirst)
	add := func(slot int) {
		if len(without) > 0 && without[0] == uint32(slot) {
			without = without[1:]
			return
		}
		e.add(p.slots[slot], p.takes(slot, m))
	}
	for slot := sharedFirst; slot < sharedEnd; slot++ {
		add(slot)
	}
	for slot := ownFirst; slot < ownEnd; slot++ {
		add(slot)
	}
	return e
}

// gather collects what some slots take.
func (p *Planner) gather(slots []uint32, m measure) edges {
	e := newEdges(len(slots))
	for _, slot := range slots {
		e.add(p.slots[slot], p.takes(int(slot), m))
	}
	return e
}

// gather collects what bookings take of an instance of p.
func (s *standing) gather(p *Planner, m measure) edges {
	e := newEdges(len(s.slots))
	for _, slot := range s.slots {
		e.add(slot.Interval, slot.takes(p, m))
	}
	return e
}
