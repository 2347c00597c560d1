package booking

import (
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
	"oc-scheduler/store/workflow"
)

// sight is what one decision is made on.
type sight struct {
	*Service
	workflow *workflow.Workflow
	selected map[string]string
	now      time.Time
	owner    string                                    // for whom
	ids      map[schedule.Place]string                 // of his bookings
	taking   map[string]map[planner.Ref][]planner.Slot // by him in this commit, by peer
	without  func(plan.Owner) bool
	fresh    bool // the views show all that was committed before
}

func (s *Service) look(w *workflow.Workflow, selected map[string]string, owner string) *sight {
	return &sight{
		Service: s, workflow: w, selected: selected, now: s.plan.Now(), owner: owner,
		ids: map[schedule.Place]string{}, taking: map[string]map[planner.Ref][]planner.Slot{},
	}
}

// place finds the instances for a window among what stands in it, and takes them. There are none when it does not
// fit. The error is a fault.List.
func (v *sight) place(w booking.Window) (taken []schedule.Taken, fits bool, err error) {
	p, err := booking.NewProblem(v.workflow, v.index, v.selected)
	if err != nil {
		return nil, false, err
	}
	var list []booking.Placement
	err = v.plan.Look(v.question(), func(of func(string) planner.Bookings) error {
		list, fits, err = p.Place(w, of)
		return err
	})
	if err != nil || !fits {
		return nil, false, err
	}
	taken = make([]schedule.Taken, len(list))
	for i, on := range list {
		taken[i] = v.take(on)
	}
	return taken, true, nil
}

func (v *sight) question() plan.Question {
	return plan.Question{At: v.now.UnixNano(), Beside: v.taking, Without: v.without}
}

// take notes what is taken where an item was placed.
func (v *sight) take(on booking.Placement) schedule.Taken {
	place := schedule.Place{PeerID: on.PeerID, ResourceID: on.ResourceID, InstanceID: on.InstanceID}
	id := v.id(place)
	if v.taking[place.PeerID] == nil {
		v.taking[place.PeerID] = map[planner.Ref][]planner.Slot{}
	}
	v.taking[place.PeerID][place.Ref()] = append(v.taking[place.PeerID][place.Ref()], planner.Slot{
		Interval: on.Interval, BookingID: id, Usage: on.Demand, Whole: on.Whole, Owner: v.owner,
	})
	return schedule.Taken{
		ID: id, ItemID: on.ItemID, Place: place,
		Start: time.Unix(0, on.Start).UTC(), End: time.Unix(0, on.End).UTC(), Usage: on.Written,
	}
}

// id is that of the owner's booking on an instance.
func (v *sight) id(place schedule.Place) string {
	if v.ids[place] == "" {
		v.ids[place] = v.plan.NewID(schedule.OfBooking)
	}
	return v.ids[place]
}

// result is the answer to a check, with all that stands.
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
	return r, nil
}

// overlay is what stands with a peer, and what is taken in this commit.
func (v *sight) overlay(peerID string) *planner.Overlay {
	o := v.plan.Overlay(peerID)
	for ref, slots := range v.taking[peerID] {
		o = o.With(ref, v.owner, slots) // beside what stands of the booking
	}
	return o
}
