package booking

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// Book books a request: what of its occurrences can be booked, if one can, or all of them where it asks for that.
// It fails with ErrNotLoaded, ErrBusy, ErrUnknownWorkflow, a fault.List, *TakenError, *MissingError, as plan.Try does, and as
// its claim.
func (s *Service) Book(ctx context.Context, a Asked, r schedule.Request) (schedule.Schedule, error) {
	if made := a.Claim.Before(); made != "" {
		return s.Get(ctx, made)
	}
	var made *schedule.Record
	id := s.plan.NewID(schedule.OfSchedule)
	err := s.try(ctx, a, r, id, func(ctx context.Context, v *sight, w store.WorkflowRecord, win booking.Window) (*plan.Commit, error) {
		list, more, err := occurrences(r, v.now, win)
		if err == nil {
			err = checkLooked(w.Workflow, len(list))
		}
		if err != nil {
			return nil, err
		}
		if err := v.bookAll(ctx, r, list, win); err != nil {
			return nil, err
		}
		made = &schedule.Record{
			Schedule: schedule.Schedule{
				ID: id, WorkflowID: a.WorkflowID, State: schedule.Active, Request: r.Body, CreatedAt: v.now.UTC(), CreatedBy: a.By,
				Labels: r.Labels, Occurrences: list,
			},
			Workflow: w.Raw, WorkflowAfter: w.After, Preemptible: r.Preemptible, Counted: len(list),
		}
		c := s.plan.NewCommit(a.By)
		for _, b := range made.Bookings(v.now) {
			c.Take(b, 0)
		}
		if at, ok := wakes(made, v.now, more); ok {
			c.Timer(id, at, 0)
		}
		c.Fulfil(a.Claim, id)
		c.Schedule(made, 0)
		return c, v.displace(ctx, c)
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

// bookAll books occurrences of one call. Those that can't be booked are in conflict or wait for a planner, unless
// that is so of all, or not allowed: then it fails with *TakenError or *MissingError, of the first one.
func (v *sight) bookAll(ctx context.Context, r schedule.Request, list []schedule.Occurrence, like booking.Window) error {
	var first error
	booked := false
	for i := range list {
		if list[i].State != "" {
			continue
		}
		err := v.book(ctx, &list[i], r, like)
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
func (v *sight) book(ctx context.Context, o *schedule.Occurrence, r schedule.Request, like booking.Window) error {
	win := like
	if r.Recurs {
		win.Start, win.End, win.From = o.Start.UnixNano(), o.End.UnixNano(), o.Start.UnixNano()
	}
	taken, win, err := v.fit(ctx, win)
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
