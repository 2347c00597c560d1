package booking

import (
	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
)

// result is the answer to a check, with all that stands, as far as who asks may know.
func (v *sight) result(w booking.Window) (*booking.Result, error) {
	overlays, digests := map[string]*planner.Overlay{}, map[string]booking.Digest{}
	p, err := booking.NewProblem(v.workflow, func(peerID string) *planner.Index {
		x := v.index(peerID)
		if x == nil {
			return nil
		}
		overlays[peerID], digests[peerID] = v.overlay(peerID), x.Planner().Digest()
		return v.indexes.laid(peerID, x, overlays[peerID])
	}, v.selected)
	if err != nil {
		return nil, err
	}
	r, err := p.Check(w)
	if err != nil {
		return nil, err
	}
	r.ComputedAt = v.now.UTC()
	r.Version = booking.Version(booking.Inputs(v.workflow, func(peerID string) (booking.Digest, bool) {
		d, ok := digests[peerID]
		return d, ok
	}, func(peerID string) booking.Digest { return overlays[peerID].Digest() }, v.selected), w)
	if v.who == nil {
		return r, nil
	}
	return r.Without(v.hidden(v.who, r.Owners())), nil
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
