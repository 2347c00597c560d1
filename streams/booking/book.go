package booking

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/calendar"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// Book books a request: what of its occurrences can be booked, if one can, or all of them where it asks for that.
// It fails with ErrNotLoaded, ErrUnknownWorkflow, a fault.List, *TakenError, *MissingError, and as plan.Try does.
func (s *Service) Book(ctx context.Context, a Asked, r schedule.Request) (schedule.Schedule, error) {
	var made *schedule.Record
	id := s.plan.NewID(schedule.OfSchedule)
	err := s.try(ctx, a.WorkflowID, r, id, func(_ context.Context, v *sight, w store.WorkflowRecord, win booking.Window) (*plan.Commit, error) {
		list, more, err := occurrences(r, v.now, win)
		if err != nil {
			return nil, err
		}
		if err := v.bookAll(r, list, win); err != nil {
			return nil, err
		}
		made = &schedule.Record{
			Schedule: schedule.Schedule{
				ID: id, WorkflowID: a.WorkflowID, State: schedule.Active, Request: r.Body, CreatedAt: v.now.UTC(), CreatedBy: a.By,
				Labels: r.Labels, Occurrences: list,
			},
			Workflow: w.Raw, Counted: len(list),
		}
		c := s.plan.NewCommit(a.By)
		for _, b := range made.Bookings(v.now, r.Preemptible) {
			c.Take(b, 0)
		}
		if at, ok := wakes(made, v.now, more); ok {
			c.Timer(id, at, 0)
		}
		c.Schedule(made, 0)
		return c, nil
	})
	if err != nil {
		return schedule.Schedule{}, err
	}
	return made.Schedule, nil
}

// wakes is when a schedule that was just booked has to be looked at: at once, if a run of it is due.
func wakes(r *schedule.Record, now time.Time, more bool) (at time.Time, ok bool) {
	if slices.ContainsFunc(r.Occurrences, func(o schedule.Occurrence) bool { return o.State == schedule.Booked && !o.Start.After(now) }) {
		return now, true
	}
	return r.Due(now, more)
}

// occurrences are those that a request has to have booked now. It fails with a fault.List.
func occurrences(r schedule.Request, now time.Time, win booking.Window) (list []schedule.Occurrence, more bool, err error) {
	start := time.Unix(0, win.Start).UTC()
	if !r.Recurs {
		if !r.AsPossible && start.Add(r.CatchUp).Before(now) {
			return nil, false, fault.List{{Path: "$.start", Message: "is too long ago: no run would start any more"}}
		}
		return []schedule.Occurrence{{Nominal: start, Start: start, End: time.Unix(0, win.End).UTC(), Bookings: []schedule.Taken{}}}, false, nil
	}
	from := now
	if r.Start.After(now) {
		from = r.Start
	}
	if r.Start.Before(now) {
		r.Start = time.Time{} // what lies in the past is none of the schedule's
	}
	list, more = r.First(now, time.Duration(win.End-win.Start))
	if len(list) == 0 || list[0].Start.Sub(from) > calendar.Horizon {
		return nil, false, fault.List{{Path: "$.cron", Message: "nothing happens within 366 days"}}
	}
	return list, more, nil
}

// bookAll books occurrences of one call. Those that can't be booked are in conflict or wait for a planner, unless
// that is so of all, or not allowed: then it fails with *TakenError or *MissingError, of the first one.
func (v *sight) bookAll(r schedule.Request, list []schedule.Occurrence, like booking.Window) error {
	var first error
	booked := false
	for i := range list {
		if list[i].State != "" {
			continue
		}
		err := v.book(&list[i], r, like)
		switch {
		case err == nil:
			booked = true
			continue
		case !refused(err) || r.AllOrNothing:
			return err
		}
		first = cmp.Or(first, err)
	}
	if booked {
		return nil
	}
	return first
}

// refused says whether an occurrence can't be booked, and not the whole request.
func refused(err error) bool {
	_, taken := errors.AsType[*TakenError](err)
	_, missing := errors.AsType[*MissingError](err)
	return taken || missing
}

// book books one occurrence, or says in its state that it can't be. It fails as fit does.
func (v *sight) book(o *schedule.Occurrence, r schedule.Request, like booking.Window) error {
	win := like
	if r.Recurs {
		win.Start, win.End, win.From = o.Start.UnixNano(), o.End.UnixNano(), o.Start.UnixNano()
	}
	taken, win, err := v.fit(win)
	if err == nil && r.Recurs && win.Start > o.Start.Add(r.CatchUp).UnixNano() {
		err = v.late(o)
	}
	if _, missing := errors.AsType[*MissingError](err); missing {
		o.State = schedule.Pending
	} else if err != nil {
		o.State = schedule.Conflict
	}
	if err != nil {
		return err
	}
	o.State, o.Bookings = schedule.Booked, taken
	o.Start, o.End = time.Unix(0, win.Start).UTC(), time.Unix(0, win.End).UTC()
	return nil
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
			err = win.Covers(w.Workflow)
		}
		if err != nil {
			return nil, err
		}
		return f(ctx, v, w, win)
	})
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

// late refuses an occurrence that fits too late for its run to start.
func (v *sight) late(o *schedule.Occurrence) error {
	r, err := v.result(booking.Window{Start: o.Start.UnixNano(), End: o.End.UnixNano(), From: o.Start.UnixNano()})
	if err != nil {
		return err
	}
	return &TakenError{r}
}
