package planner

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Overlay is the bookings of ours that stand with one peer, to be laid over its planner: see
// [Index.With]. It is immutable; what it has in common with the one it was made from is not copied.
// nil is an overlay without bookings.
type Overlay struct {
	instances map[Ref]*standing
	ids       func() map[string]struct{} // of all bookings; collected when first asked for
}

// standing is what stands on one instance.
type standing struct {
	slots  []Slot // by start
	digest [16]byte
}

// With is o with these bookings on an instance, in the place of those that o has there. Slots may come
// in any order and overlap; those that end when they start, or before, are left out. Usage is by
// dimension, in byte order. The caller must not change it any more.
func (o *Overlay) With(ref Ref, slots []Slot) *Overlay {
	changed := &Overlay{instances: map[Ref]*standing{}}
	if o != nil {
		changed.instances = maps.Clone(o.instances)
	}
	if s := newStanding(slots); len(s.slots) > 0 {
		changed.instances[ref] = s
	} else {
		delete(changed.instances, ref)
	}
	changed.ids = sync.OnceValue(changed.collect)
	return changed
}

func newStanding(slots []Slot) *standing {
	s := &standing{slots: slices.DeleteFunc(slices.Clone(slots), func(s Slot) bool { return s.Start >= s.End })}
	slices.SortFunc(s.slots, func(a, b Slot) int {
		return cmp.Or(
			cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(a.BookingID, b.BookingID),
			slices.CompareFunc(a.Usage, b.Usage, func(a, b Quantity) int {
				return cmp.Or(strings.Compare(a.Dimension, b.Dimension), cmp.Compare(a.Amount, b.Amount))
			}),
		)
	})
	s.digest = digestOf(s.canonical())
	return s
}

// collect lists the ids of all bookings.
func (o *Overlay) collect() map[string]struct{} {
	ids := map[string]struct{}{}
	for _, s := range o.instances {
		for i := range s.slots {
			ids[s.slots[i].BookingID] = struct{}{}
		}
	}
	return ids
}

// stands tells whether a booking is among them.
func (o *Overlay) stands(booking string) bool {
	_, ok := o.ids()[booking]
	return ok
}

// takes is how much of a measure of an instance of p a booking takes.
func (s *Slot) takes(p *Planner, m measure) Amount {
	switch {
	case m.number == whole && (s.Whole || slices.ContainsFunc(s.Usage, Quantity.positive)):
		return Unit
	case m.number == whole:
		return 0
	case s.Whole:
		return m.capacity
	}
	dimension := p.dimension(m.number)
	for _, q := range s.Usage {
		if q.Dimension == dimension {
			return q.Amount
		}
	}
	return 0
}
