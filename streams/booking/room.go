package booking

import (
	"math"
	"time"

	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
)

// overtaken says whether somebody who took the hold for ended has taken what it holds: his clock may be a little
// ahead. A planner that has less than before undoes no hold.
func (s *Service) overtaken(h *schedule.HoldRecord, now time.Time) bool {
	for _, b := range h.Takes() {
		own, ok := s.plan.Owner(b.ID)
		if !ok || s.roomFor(b, now, nil) {
			continue
		}
		if s.roomFor(b, now, func(o plan.Owner) bool { return o.Revision > own.Revision }) {
			return true
		}
	}
	return false
}

// roomFor says whether an instance has enough, by its planner, for all that counts of it while a booking that stands
// takes something. Where the planner is missing nobody knows: then it has.
func (s *Service) roomFor(b schedule.Booking, now time.Time, without func(plan.Owner) bool) bool {
	x := s.index(b.PeerID)
	slots, err := b.Slots()
	if x == nil || err != nil {
		return true
	}
	within := planner.Interval{Start: math.MaxInt64, End: math.MinInt64}
	for _, slot := range slots {
		within = planner.Interval{Start: min(within.Start, slot.Start), End: max(within.End, slot.End)}
	}
	x = s.plan.Lay(x, plan.Among{Peer: b.PeerID, Within: within, At: now.UnixNano(), Without: without})
	in := x.Resource(b.ResourceID).Instance(b.InstanceID)
	if in == nil {
		return false
	}
	for i := range slots {
		if !enough(in, &slots[i]) {
			return false
		}
	}
	return true
}

// enough says whether no more is in use of an instance than it has, of what a slot takes and while it does.
func enough(in *planner.Instance, s *planner.Slot) bool {
	if s.Whole {
		return in.Occupancy().MaxUse(s.Start, s.End) <= planner.Unit
	}
	for _, q := range s.Usage {
		if t := in.Timeline(q.Dimension); q.Amount > 0 && t.MaxUse(s.Start, s.End) > in.Capacity(q.Dimension) || q.Amount > in.Capacity(q.Dimension) {
			return false
		}
	}
	return true
}
