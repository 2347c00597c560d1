package check

import (
	"slices"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
)

// snapshot holds the planners that one evaluation uses.
type snapshot struct {
	peers    []string           // sorted
	planners []*planner.Planner // of each; nil of none
}

func (s snapshot) of(peerID string) *planner.Planner {
	if n, found := slices.BinarySearch(s.peers, peerID); found {
		return s.planners[n]
	}
	return nil
}

func (s snapshot) digest(peerID string) (booking.Digest, bool) {
	if p := s.of(peerID); p != nil {
		return p.Digest(), true
	}
	return booking.Digest{}, false
}
