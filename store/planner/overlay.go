package planner

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"oc-scheduler/store/digest"
)

// Overlay is the bookings of ours that stand with one peer, to be laid over its planner: see
// [Index.With]. It is immutable; what it has in common with the one it was made from is not copied.
// nil is an overlay without bookings.
type Overlay struct {
	instances map[Ref]*standing
	ids       func() map[string]struct{} // of all bookings; collected when first asked for
	digest    func() [16]byte            // likewise
}

// standing is what stands on one instance.
type standing struct {
	slots  []*Slot         // in the order of bySlot
	digest func() [16]byte // worked out when first asked for
	ends   func() ends     // of the slots, likewise
}

// NewOverlay is an overlay of slots by instance. They may come in any order and overlap; those that end
// when they start, or before, are left out. Usage is by dimension, in byte order. The slots are not
// copied, and nobody must change them any more.
func NewOverlay(slots map[Ref][]*Slot) *Overlay {
	o := &Overlay{instances: make(map[Ref]*standing, len(slots))}
	for ref, list := range slots {
		o.put(ref, sorted(list))
	}
	o.ids, o.digest = sync.OnceValue(o.collect), sync.OnceValue(o.sum)
	return o
}

// With is o with these slots of one booking on an instance, in the place of those that it has there;
// none: it is over. It costs a list of what stands on the instance, and no more of the others than of
// their number. Nobody must change the slots any more.
func (o *Overlay) With(ref Ref, booking string, slots []Slot) *Overlay {
	changed := &Overlay{instances: map[Ref]*standing{}}
	if o != nil {
		changed.instances = maps.Clone(o.instances)
	}
	var others []*Slot
	if s := changed.instances[ref]; s != nil {
		others = s.slots
	}
	changed.put(ref, merged(others, sorted(bookedBy(slots, booking)), booking))
	changed.ids, changed.digest = sync.OnceValue(changed.collect), sync.OnceValue(changed.sum)
	return changed
}

// Only is o where the bookings of some owners alone take anything. Those of the others stand all the same, so that
// slots of a planner that are such bookings count no more.
func (o *Overlay) Only(takes func(owner string) bool) *Overlay {
	if o == nil {
		return nil
	}
	slots := make(map[Ref][]*Slot, len(o.instances))
	for ref, s := range o.instances {
		list := slices.Clone(s.slots)
		for i, slot := range list {
			if !takes(slot.Owner) {
				nothing := *slot
				nothing.Usage, nothing.Whole = nil, false
				list[i] = &nothing
			}
		}
		slots[ref] = list
	}
	return NewOverlay(slots)
}

// put has slots stand on an instance, and those alone.
func (o *Overlay) put(ref Ref, slots []*Slot) {
	if len(slots) == 0 {
		delete(o.instances, ref)
		return
	}
	o.instances[ref] = newStanding(slots)
}

func newStanding(slots []*Slot) *standing {
	s := &standing{slots: slots}
	s.digest = sync.OnceValue(func() [16]byte { return digest.Of(s.canonical()) })
	s.ends = sync.OnceValue(func() ends { return newEnds(len(slots), func(k int) int64 { return slots[k].End }) })
	return s
}

func (s *standing) equal(other *standing) bool {
	return s == other || slices.EqualFunc(s.slots, other.slots, func(a, b *Slot) bool { return a == b || bySlot(a, b) == 0 })
}

// bookedBy are the slots as a booking's: themselves, where they say so already.
func bookedBy(slots []Slot, booking string) []*Slot {
	list := make([]*Slot, len(slots))
	for i := range slots {
		list[i] = &slots[i]
		if list[i].BookingID != booking {
			own := slots[i]
			own.BookingID, list[i] = booking, &own
		}
	}
	return list
}

// sorted is a list of the slots that last, in order.
func sorted(slots []*Slot) []*Slot {
	list := slices.DeleteFunc(slices.Clone(slots), func(s *Slot) bool { return s.Start >= s.End })
	slices.SortFunc(list, bySlot)
	return list
}

// merged is what stands, without what is a booking's, and its new slots, in order.
func merged(standing, slots []*Slot, booking string) []*Slot {
	list := make([]*Slot, 0, len(standing)+len(slots))
	for _, s := range standing {
		for len(slots) > 0 && bySlot(slots[0], s) < 0 {
			list, slots = append(list, slots[0]), slots[1:]
		}
		if s.BookingID != booking {
			list = append(list, s)
		}
	}
	return append(list, slots...)
}

func bySlot(a, b *Slot) int {
	if c := cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(a.BookingID, b.BookingID)); c != 0 {
		return c
	}
	return cmp.Or(
		slices.CompareFunc(a.Usage, b.Usage, func(a, b Quantity) int {
			return cmp.Or(strings.Compare(a.Dimension, b.Dimension), cmp.Compare(a.Amount, b.Amount))
		}),
		byFlag(a.Whole, b.Whole), strings.Compare(a.Owner, b.Owner), byFlag(a.Yields, b.Yields))
}

func byFlag(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// collect lists the ids of all bookings.
func (o *Overlay) collect() map[string]struct{} {
	ids := map[string]struct{}{}
	for _, s := range o.instances {
		for _, slot := range s.slots {
			ids[slot.BookingID] = struct{}{}
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
