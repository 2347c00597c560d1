package check

import (
	"slices"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
)

// snapshot holds the planners and bookings that one evaluation uses.
type snapshot struct {
	peers    []string           // sorted
	planners []*planner.Planner // of each; nil of none
	bookings []*planner.Overlay // of each
}

func (s snapshot) of(peerID string) (*planner.Planner, *planner.Overlay) {
	if n, found := slices.BinarySearch(s.peers, peerID); found {
		return s.planners[n], s.bookings[n]
	}
	return nil, nil
}

func (s snapshot) digest(peerID string) (booking.Digest, bool) {
	if p, _ := s.of(peerID); p != nil {
		return p.Digest(), true
	}
	return booking.Digest{}, false
}

func (s snapshot) standing(peerID string) booking.Digest {
	_, o := s.of(peerID)
	return o.Digest()
}
