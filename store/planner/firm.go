package planner

// Firm is what bookings of ours that don't give way take of an instance: neither they that do nor what
// the planner tells of count.
type Firm struct{ *Instance }

// Firm is the instance with what would stay.
func (i *Instance) Firm() Firm { return Firm{i} }

// Timeline is the use of a dimension over time, as that of an Instance.
func (f Firm) Timeline(dimension string) *Timeline {
	m, ok := f.measure(dimension)
	if !ok {
		return nothing
	}
	return f.firm(m)
}

// Occupancy is how many take anything at all, as that of an Instance.
func (f Firm) Occupancy() *Timeline { return f.firm(f.occupancy()) }

func (i *Instance) firm(m measure) *Timeline {
	if i.beside == nil {
		return newTimeline(m.capacity, flat, new(shelf))
	}
	return i.index.timeline(i.place(m, firmOnly), func(s *shelf) *Timeline {
		e := newEdges(0)
		for _, b := range i.beside.bookings.slots {
			if !b.Yields {
				e.add(b.Interval, b.takes(i.index.planner, m))
			}
		}
		return newTimeline(m.capacity, sweep(e), s)
	})
}
