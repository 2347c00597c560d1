package booking

import (
	"cmp"
	"context"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// Book books a request: all of it, or what of its occurrences can be booked if one can. It fails with
// ErrNotLoaded, ErrUnknownWorkflow, a fault.List, *TakenError, *MissingError, and as plan.Try does.
func (s *Service) Book(ctx context.Context, a Asked, r schedule.Request) (schedule.Schedule, error) {
	var made *schedule.Record
	id := s.plan.NewID(schedule.OfSchedule)
	err := s.try(ctx, a.WorkflowID, r, id, func(_ context.Context, v *sight, w store.WorkflowRecord, win booking.Window) (*plan.Commit, error) {
		if end := time.Unix(0, win.Start).Add(r.CatchUp); end.Before(v.now) {
			return nil, fault.List{{Path: "$.start", Message: "is too long ago: no run would start any more"}}
		}
		taken, win, err := v.fit(win)
		if err != nil {
			return nil, err
		}
		start := time.Unix(0, win.Start).UTC()
		made = &schedule.Record{
			Schedule: schedule.Schedule{
				ID: id, WorkflowID: a.WorkflowID, State: schedule.Active, Request: r.Body, CreatedAt: v.now.UTC(), CreatedBy: a.By, Labels: r.Labels,
				Occurrences: []schedule.Occurrence{{
					Nominal: start, Start: start, End: time.Unix(0, win.End).UTC(), State: schedule.Booked, Bookings: taken,
				}},
			},
			Workflow: w.Raw, Counted: 1,
		}
		c := s.plan.NewCommit()
		for _, b := range made.Bookings(v.now, r.Preemptible) {
			c.Take(b, 0)
		}
		c.Timer(id, start, 0)
		c.Schedule(made, 0)
		return c, nil
	})
	if err != nil {
		return schedule.Schedule{}, err
	}
	return made.Schedule, nil
}

// decide decides on a window, which was placed at a time.
type decide func(ctx context.Context, v *sight, w store.WorkflowRecord, win booking.Window) (*plan.Commit, error)

// try has a request for one window decided until the decision stands.
func (s *Service) try(ctx context.Context, workflowID string, r schedule.Request, owner string, f decide) error {
	return s.plan.Try(ctx, func(ctx context.Context, fresh bool) (*plan.Commit, error) {
		w, err := s.workflow(workflowID)
		if err != nil {
			return nil, err
		}
		v := s.look(w.Workflow, r.Selected, owner)
		v.fresh = fresh
		win, err := r.Resolve(w.Workflow, v.now)
		if err == nil {
			err = longEnough(w, win)
		}
		if err != nil {
			return nil, err
		}
		return f(ctx, v, w, win)
	})
}

// longEnough holds that a window has room for the longest path.
func longEnough(w store.WorkflowRecord, win booking.Window) error {
	length := time.Duration(win.End - win.Start)
	if least, ok := w.Duration(); ok && length < least {
		var faults fault.List
		faults.Add("$.duration_s", "the window lasts %v, and the workflow's longest path %v", length, least)
		return faults.Err()
	}
	return nil
}

// fit places a window, or the earliest one that fits, and tells which. It fails with plan.ErrStale, *TakenError,
// *MissingError or a fault.List.
func (v *sight) fit(win booking.Window) ([]schedule.Taken, booking.Window, error) {
	if win.AsPossible {
		r, err := v.result(win)
		if err == nil {
			err = v.refusal(r)
		}
		if err != nil {
			return nil, win, err
		}
		win.Start, win.End = r.Start.UnixNano(), r.End.UnixNano()
	}
	taken, fits, err := v.place(win)
	if err != nil || fits {
		return taken, win, err
	}
	if !v.fresh {
		return nil, win, plan.ErrStale
	}
	r, err := v.result(win)
	if err == nil {
		err = cmp.Or(v.refusal(r), plan.ErrStale) // by now it fits
	}
	return nil, win, err
}

// refusal is why a check says that something can't be booked; nil when it can.
func (v *sight) refusal(r *booking.Result) error {
	switch {
	case r.Status == booking.Available:
		return nil
	case !v.fresh:
		return plan.ErrStale
	case r.Status == booking.Unavailable:
		return &TakenError{r}
	}
	return &MissingError{r}
}
