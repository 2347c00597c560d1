package booking

import (
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// Placement is where and when an item has its place.
type Placement struct {
	workflow.Need
	InstanceID string
	planner.Interval
}

// Place places the needs in a window as Check does, beside the bookings of each peer, which it asks for
// those that meet the window alone; what is laid over the indexes of p doesn't count. It is false when an
// item finds no place, also for a planner that is missing. The error is that of Check.
func (p *Problem) Place(w Window, bookings func(peerID string) planner.Bookings) (list []Placement, ok bool, err error) {
	if len(p.missing) > 0 {
		return nil, false, nil
	}
	steps, ok := budget(maxSteps), true
	list = make([]Placement, len(p.items))
	for _, g := range p.groups {
		g.place(holdsBeside(w.interval(), bookings), &steps, func(it *item, on *candidate, _ []load) bool {
			if ok = on != nil; ok {
				list[it.nth] = Placement{it.need, on.instance.ID(), it.need.Span.Of(w.interval())}
			}
			return ok
		})
		switch {
		case steps < 0:
			return nil, false, tooLarge()
		case !ok:
			return nil, false, nil
		}
	}
	return list, true, nil
}

// holdsBeside is holds beside bookings that are not laid over the planner.
func holdsBeside(window planner.Interval, bookings func(peerID string) planner.Bookings) fit {
	return func(c *candidate, need workflow.Need, beside *load) bool {
		standing := bookings(need.PeerID)
		for _, k := range constraints(c.instance, need, beside, window) {
			var use planner.Amount
			if need.Whole {
				use = c.instance.MaxOccupancy(k.Interval, standing)
			} else {
				use = c.instance.MaxUse(k.dimension, k.Interval, standing)
			}
			if use.Add(k.asked()) > k.timeline.Capacity() {
				return false
			}
		}
		return true
	}
}
