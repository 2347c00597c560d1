package slots

import (
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
)

// order is what a node is told of a booking.
func order(at planner.Ref, bookingID string, slots []planner.Slot, revision uint64) *nclprotocol.BookSlots {
	o := &nclprotocol.BookSlots{BookingID: bookingID, Revision: revision, Slots: make([]nclprotocol.Slot, len(slots))}
	for i, s := range slots {
		o.Slots[i] = nclprotocol.Slot{
			ResourceID: at.ResourceID, InstanceID: at.InstanceID,
			Start: time.Unix(0, s.Start).UTC(), End: time.Unix(0, s.End).UTC(), Usage: amounts(s),
		}
	}
	return o
}

// amounts are what a slot takes; none: the whole instance.
func amounts(s planner.Slot) nclprotocol.Amounts {
	if s.Whole {
		return nil
	}
	list := make(nclprotocol.Amounts, len(s.Usage))
	for _, q := range s.Usage {
		list[q.Dimension] = float64(q.Amount) / float64(planner.Unit)
	}
	return list
}
