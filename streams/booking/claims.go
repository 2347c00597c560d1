package booking

import (
	"maps"
	"slices"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
)

// claims are slots by peer and instance.
type claims map[string]map[planner.Ref][]planner.Slot

func (c claims) add(at schedule.Place, slots ...planner.Slot) {
	if c[at.PeerID] == nil {
		c[at.PeerID] = map[planner.Ref][]planner.Slot{}
	}
	c[at.PeerID][at.Ref()] = append(c[at.PeerID][at.Ref()], slots...)
}

// addAll adds what bookings take.
func (c claims) addAll(bookings []schedule.Booking) {
	for i := range bookings {
		c.add(bookings[i].Place, slotsOf(&bookings[i])...)
	}
}

// clone is a copy to which others may be added.
func (c claims) clone() claims {
	copied := make(claims, len(c))
	for peerID, at := range c {
		copied[peerID] = maps.Clone(at)
		for ref, slots := range at {
			copied[peerID][ref] = slices.Clip(slots)
		}
	}
	return copied
}

// slotsOf are those of a booking as the plan has them; none of one that nobody can reckon with.
func slotsOf(b *schedule.Booking) []planner.Slot {
	slots, err := b.Slots()
	if err != nil {
		return nil
	}
	for i := range slots {
		slots[i].Owner, slots[i].Yields = b.Owner(), b.Preemptible
	}
	return slots
}
