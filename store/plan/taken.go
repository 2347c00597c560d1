package plan

import "oc-scheduler/store/planner"

// Taken is a booking that stands.
type Taken struct {
	ID       string
	On       planner.Ref
	Slots    []planner.Slot // not to be changed
	Until    int64          // from then on it takes nothing, whatever its slots say
	Revision uint64
}

// Taken lists the bookings that stand with a peer, as the view shows them.
func (p *Plan) Taken(peerID string) (list []Taken) {
	s := p.taken
	s.mu.RLock()
	defer s.mu.RUnlock()
	of := s.peers[peerID]
	if of == nil {
		return nil
	}
	seen := map[string]bool{}
	for ref, in := range of.instances {
		in.all(func(slot *planner.Slot) {
			if e := s.byID[slot.BookingID]; !seen[slot.BookingID] {
				seen[slot.BookingID], list = true, append(list, Taken{slot.BookingID, ref, e.slots, e.until, e.revision})
			}
		})
	}
	return list
}
