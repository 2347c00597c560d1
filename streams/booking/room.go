package booking

import (
	"slices"
	"time"

	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
)

// ahead is more than any clock of ours is ahead of another.
const ahead = time.Second

// overtaken says whether somebody who took the hold for ended has taken what it holds: his clock may be a little
// ahead. A planner that has less than before undoes no hold.
func (s *Service) overtaken(h *schedule.HoldRecord, now time.Time) bool {
	if h.ExpiresAt.Sub(now) > ahead {
		return false
	}
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
func (s *Service) roomFor(b schedule.Booking, now time.Time, without func(plan.Owner) bool) (enough bool) {
	x := s.index(b.PeerID)
	slots, err := b.Slots()
	if x == nil || err != nil {
		return true
	}
	in := x.Resource(b.ResourceID).Instance(b.InstanceID)
	if in == nil {
		return false
	}
	_ = s.plan.Look(plan.Question{At: now.UnixNano(), Without: without}, func(of func(string) planner.Bookings) error {
		enough = !slices.ContainsFunc(slots, func(slot planner.Slot) bool { return short(in, &slot, of(b.PeerID)) })
		return nil
	})
	return enough
}

// short says whether more is in use of an instance than it has, of what a slot takes and while it does.
func short(in *planner.Instance, s *planner.Slot, standing planner.Bookings) bool {
	if s.Whole {
		return in.MaxOccupancy(s.Interval, standing) > planner.Unit
	}
	return slices.ContainsFunc(s.Usage, func(q planner.Quantity) bool {
		return q.Amount > 0 && max(q.Amount, in.MaxUse(q.Dimension, s.Interval, standing)) > in.Capacity(q.Dimension)
	})
}

// assess says which occurrences take what the planner has too little of by now.
func (s *Service) assess(r *schedule.Record, now time.Time) {
	for i := range r.Occurrences {
		o := &r.Occurrences[i]
		if !o.State.Holds() {
			continue
		}
		o.AtRisk = slices.ContainsFunc(o.Bookings, func(t schedule.Taken) bool {
			if !t.End.After(now) {
				return false
			}
			taken := schedule.Booking{ID: t.ID, Place: t.Place, Intervals: []schedule.Interval{{Start: t.Start, End: t.End, ItemID: t.ItemID, Usage: t.Usage}}}
			return !s.roomFor(taken, now, nil)
		})
		r.AtRisk = r.AtRisk || o.AtRisk
	}
}
