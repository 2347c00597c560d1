package booking

import (
	"time"

	"oc-scheduler/store/access"
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
	who      *access.Subject           // who asks; nil: nobody from whom anything is hidden
	owner    string                    // for whom
	ids      map[schedule.Place]string // of his bookings
	taking   claims                    // by him in this commit
	givers   map[string]*giver         // schedules that give way to him in this commit
	fresh    bool                      // the views show all that was committed before
}

func (s *Service) look(w *workflow.Workflow, selected map[string]string, owner string) *sight {
	return &sight{
		Service: s, workflow: w, selected: selected, now: s.plan.Now(), owner: owner,
		ids: map[schedule.Place]string{}, taking: claims{}, givers: map[string]*giver{},
	}
}

// place finds the instances for a window among what stands in it, and takes them. There are none when it does not
// fit. The error is a fault.List.
func (v *sight) place(w booking.Window) (taken []schedule.Taken, fits bool, err error) {
	p, err := v.problem()
	if err != nil {
		return nil, false, err
	}
	list, fits, err := v.placed(p, w, v.question(nil))
	return v.takeAll(list), fits, err
}

func (v *sight) problem() (*booking.Problem, error) {
	return booking.NewProblem(v.workflow, v.index, v.selected)
}

// placed finds the instances beside what counts of what stands.
func (v *sight) placed(p *booking.Problem, w booking.Window, q plan.Question) (list []booking.Placement, fits bool, err error) {
	err = v.plan.Look(q, func(of func(string) planner.Bookings) error {
		list, fits, err = p.Place(w, of)
		return err
	})
	if !fits {
		list = nil
	}
	return list, fits, err
}

// question is about all that stands, as it is to be after this commit, but for what some schedules have that are away.
func (v *sight) question(away map[string]bool) plan.Question {
	q := plan.Question{At: v.now.UnixNano(), Beside: v.taking}
	if len(away)+len(v.givers) == 0 {
		return q
	}
	beside := v.taking.clone()
	for id, g := range v.givers {
		if !away[id] {
			beside.addAll(g.keeps(v.now))
		}
	}
	q.Beside = beside
	q.Without = func(o plan.Owner) bool { return away[o.ID] || v.givers[o.ID] != nil }
	return q
}

func (v *sight) takeAll(list []booking.Placement) []schedule.Taken {
	taken := make([]schedule.Taken, len(list))
	for i, on := range list {
		taken[i] = v.take(on)
	}
	return taken
}

// take notes what is taken where an item was placed.
func (v *sight) take(on booking.Placement) schedule.Taken {
	place := schedule.Place{PeerID: on.PeerID, ResourceID: on.ResourceID, InstanceID: on.InstanceID}
	id := v.id(place)
	v.taking.add(place, planner.Slot{Interval: on.Interval, BookingID: id, Usage: on.Demand, Whole: on.Whole, Owner: v.owner})
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
