package booking

import (
	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
)

// result is the answer to a check, with all that stands, as far as who asks may know.
func (v *sight) result(w booking.Window) (*booking.Result, error) {
	answer, err := v.answers()
	if err != nil {
		return nil, err
	}
	return answer(w)
}

// answers gives results for any windows, of what stands now. Both fail with a fault.List.
func (v *sight) answers() (func(booking.Window) (*booking.Result, error), error) {
	state := booking.Look(v.workflow, func(peerID string) (*planner.Planner, *planner.Overlay) {
		x := v.index(peerID)
		if x == nil {
			return nil, nil
		}
		return x.Planner(), v.overlay(peerID)
	})
	p, err := state.Problem(v.selected, v.indexes.laid)
	if err != nil {
		return nil, err
	}
	inputs := state.Inputs(v.selected)
	return func(w booking.Window) (*booking.Result, error) {
		r, err := p.Answer(inputs, w, v.now)
		if err != nil || v.who == nil {
			return r, err
		}
		return r.Without(v.hidden(v.who, r.Owners())), nil
	}, nil
}

// overlay is what stands with a peer as it is to be after this commit.
func (v *sight) overlay(peerID string) *planner.Overlay {
	o := v.plan.Overlay(peerID)
	for ref, slots := range v.taking[peerID] {
		o = o.With(ref, v.owner, slots) // beside what stands of the booking
	}
	for _, g := range v.givers {
		for _, b := range g.Bookings(v.now) {
			if b.PeerID == peerID {
				o = o.With(b.Ref(), b.ID, nil)
			}
		}
		for _, b := range g.keeps(v.now) {
			if b.PeerID == peerID {
				o = o.With(b.Ref(), b.ID, slotsOf(&b))
			}
		}
	}
	return o
}
