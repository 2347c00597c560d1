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
}

func (s *Service) look(w *workflow.Workflow, selected map[string]string, owner string) *sight {
	return &sight{
		Service: s, workflow: w, selected: selected, now: s.plan.Now(), owner: owner,
		ids: map[schedule.Place]string{}, taking: map[string]map[planner.Ref][]planner.Slot{},
	}
}

// place finds the instances for a window among what stands in it, and takes them.
func (v *sight) place(w booking.Window) ([]schedule.Taken, booking.Status, error) {
	within := planner.Interval{Start: w.Start, End: w.End}
	p, err := booking.NewProblem(v.workflow, func(peerID string) *planner.Index {
		x := v.index(peerID)
		if x == nil {
			return nil
		}
		return v.plan.Lay(x, plan.Among{
			Peer: peerID, Within: within, At: v.now.UnixNano(), Beside: v.taking[peerID], Without: v.without,
		})
	}, v.selected)
	if err != nil {
		return nil, "", err
	}
	resources, status, err := p.Place(w)
	if err != nil || status != booking.Available {
		return nil, status, err
	}
	return v.take(resources), status, nil
}

// take notes what is taken on the instances on which items were placed.
func (v *sight) take(resources []booking.Resource) []schedule.Taken {
	list := make([]schedule.Taken, len(resources))
	for i, need := range v.workflow.Needs() {
		r := resources[i]
		place := schedule.Place{PeerID: r.PeerID, ResourceID: r.ResourceID, InstanceID: *r.InstanceID}
		list[i] = schedule.Taken{ID: v.id(place), ItemID: r.ItemID, Place: place, Start: r.Start, End: r.End, Usage: need.Written}
		slot := planner.Slot{
			Interval: planner.Interval{Start: r.Start.UnixNano(), End: r.End.UnixNano()}, BookingID: list[i].ID,
			Usage: need.Demand, Whole: need.Whole,
		}
		if v.taking[place.PeerID] == nil {
			v.taking[place.PeerID] = map[planner.Ref][]planner.Slot{}
		}
		v.taking[place.PeerID][place.Ref()] = append(v.taking[place.PeerID][place.Ref()], slot)
	}
	return list
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
	digests := map[string]booking.Digest{}
	at := v.now.UnixNano()
	p, err := booking.NewProblem(v.workflow, func(peerID string) *planner.Index {
		x := v.index(peerID)
		if x == nil {
			return nil
		}
		x = v.indexes.laid(peerID, x, v.plan.Overlay(peerID, at))
		digests[peerID] = x.Planner().Digest()
		return x
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
	}, v.selected), w)
	return r, nil
}

// refuse says why a window can't be booked. It returns nil when it can by now.
func (v *sight) refuse(w booking.Window) error {
	r, err := v.result(w)
	switch {
	case err != nil:
		return err
	case r.Status == booking.Unavailable:
		return &TakenError{r}
	case r.Status == booking.Unknown:
		return &MissingError{r}
	}
	return nil
}
