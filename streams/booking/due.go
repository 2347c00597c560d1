package booking

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/history"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// Due does all that a schedule has to have done by now: books what lies less far ahead than is booked, tries once
// more what could not be booked, passes over what is too late. It sets the next timer. fired is the revision of
// the timer's message, which is handled with that; 0: there is none. It may be called at any time, and more than
// once. It fails as plan.Try does.
func (s *Service) Due(ctx context.Context, id string, fired uint64) error {
	return s.change(ctx, id, history.BySelf, func(r *schedule.Record) error {
		if r.State.Final() {
			return errNothing
		}
		return nil
	}, fired)
}

// Pause has nothing new booked or started of a schedule, until Resume. It fails with ErrNotFound, ErrEnded, and as
// plan.Try does.
func (s *Service) Pause(ctx context.Context, id, by string) error {
	return s.turn(ctx, id, by, schedule.Paused)
}

// Resume ends a pause. What fell due meanwhile is skipped. It fails as Pause does.
func (s *Service) Resume(ctx context.Context, id, by string) error {
	return s.turn(ctx, id, by, schedule.Active)
}

func (s *Service) turn(ctx context.Context, id, by string, state schedule.State) error {
	return s.change(ctx, id, by, func(r *schedule.Record) error {
		switch {
		case r.State.Final():
			return ErrEnded
		case r.State == state:
			return errNothing
		}
		r.State = state
		return nil
	}, 0)
}

// errNothing says that there is nothing to be changed.
var errNothing = errors.New("nothing to be changed")

// change changes a schedule, and does what is due of it: as it was before the change, up to now, and then as it is.
func (s *Service) change(ctx context.Context, id, by string, f func(*schedule.Record) error, fired uint64) error {
	return s.plan.Try(ctx, func(ctx context.Context, fresh bool) (*plan.Commit, error) {
		r, revision, err := s.schedule(ctx, id)
		c := s.plan.NewCommit(by)
		if fired > 0 {
			c.Handled(id, fired)
		}
		if errors.Is(err, ErrNotFound) && fired > 0 {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		before := r.State
		switch err := f(&r); {
		case errors.Is(err, errNothing) && fired > 0:
			return c, nil
		case errors.Is(err, errNothing):
			return nil, nil
		case err != nil:
			return nil, err
		}
		timer, err := s.plan.TimerRevision(ctx, id)
		if err != nil {
			return nil, err
		}
		return c, s.advance(ctx, c, &r, before, revision, timer, fresh)
	})
}

// advance does what is due of a schedule, which was in a state before.
func (s *Service) advance(ctx context.Context, c *plan.Commit, r *schedule.Record, before schedule.State, revision, timer uint64, fresh bool) error {
	asked, v, length, err := s.asked(r, fresh)
	if err != nil {
		return err
	}
	had := r.Bookings(v.now, asked.Preemptible)
	pass(r, asked, before, v.now)
	if err := v.again(r, asked); err != nil {
		return err
	}
	more, err := v.extend(r, asked, length)
	if err != nil {
		return err
	}
	r.Trim(v.now)
	at, waits := r.Due(v.now, more)
	if waits {
		c.Timer(r.ID, at, timer)
	} else {
		r.State = schedule.Ended
		c.NoTimer(r.ID, timer)
	}
	c.Schedule(r, revision)
	return s.turnInto(ctx, c, r.ID, had, r.Bookings(v.now, asked.Preemptible))
}

// asked is what a schedule was asked for, what it needs, and how long its windows are. A schedule of a hold that was
// confirmed has the hold's request.
func (s *Service) asked(r *schedule.Record, fresh bool) (asked schedule.Request, v *sight, length time.Duration, err error) {
	asked, err = schedule.DecodeRequest(r.Request, schedule.ScheduleBody)
	if err != nil {
		asked, err = schedule.DecodeRequest(r.Request, schedule.HoldBody)
	}
	if err == nil {
		v, length, err = s.sightOf(r, asked, fresh)
	}
	return asked, v, length, err
}

// sightOf looks at what a schedule needs: by the workflow as it is now, or as it was when it is there no more.
func (s *Service) sightOf(r *schedule.Record, asked schedule.Request, fresh bool) (*sight, time.Duration, error) {
	w, err := s.workflow(r.WorkflowID)
	if errors.Is(err, ErrUnknownWorkflow) {
		w, err = stored(r)
	}
	if err != nil {
		return nil, 0, err
	}
	v := s.look(w.Workflow, asked.Selected, r.ID)
	v.fresh = fresh
	for _, o := range r.Occurrences {
		for _, t := range o.Bookings {
			v.ids[t.Place] = t.ID
		}
	}
	asked.Start = time.Time{}
	win, err := asked.Resolve(w.Workflow, v.now)
	if err != nil && len(r.Occurrences) > 0 { // the workflow has no length any more: as it had
		last := r.Occurrences[len(r.Occurrences)-1]
		return v, last.End.Sub(last.Start), nil
	}
	return v, time.Duration(win.End - win.Start), err
}

// stored is the workflow that a schedule was booked with.
func stored(r *schedule.Record) (store.WorkflowRecord, error) {
	return store.DecodeWorkflow(r.Workflow)
}

// pass passes over what can't start any more, or fell due while the schedule was paused.
func pass(r *schedule.Record, asked schedule.Request, before schedule.State, now time.Time) {
	for i := range r.Occurrences {
		o := &r.Occurrences[i]
		if o.RunID != nil || !o.State.Holds() && o.State != schedule.Pending {
			continue
		}
		switch {
		case before == schedule.Paused && !o.Start.After(now):
			o.State = schedule.Skipped
		case o.Start.Add(asked.CatchUp).Before(now) && o.State == schedule.Pending:
			o.State = schedule.Missed
		}
	}
}

// again tries what could not be booked: what waits for a planner each time, what was taken at its time.
func (v *sight) again(r *schedule.Record, asked schedule.Request) error {
	if r.State != schedule.Active {
		return nil
	}
	tried := r.Tried
	r.Tried = v.now.UTC()
	for i := range r.Occurrences {
		o := &r.Occurrences[i]
		due := !o.Start.After(v.now) && o.Start.After(tried)
		if o.State != schedule.Pending && (o.State != schedule.Conflict || !due) || o.Start.Add(asked.CatchUp).Before(v.now) {
			continue
		}
		if err := v.book(o, asked, booking.Window{AsPossible: asked.AsPossible}); err != nil && !refused(err) {
			return err
		}
	}
	return nil
}

// extend decides on the occurrences that come next, and says whether there are more.
func (v *sight) extend(r *schedule.Record, asked schedule.Request, length time.Duration) (more bool, err error) {
	list, more := asked.Next(r, v.now, length)
	for i := range list {
		o := &list[i]
		switch {
		case r.State == schedule.Paused && !o.Start.After(v.now):
			o.State = schedule.Skipped
		case r.State == schedule.Paused:
			return true, nil // it is for Resume to decide
		case o.State == schedule.Skipped:
		case o.Start.Add(asked.CatchUp).Before(v.now):
			o.State = schedule.Missed
		default:
			if err := v.book(o, asked, booking.Window{AsPossible: asked.AsPossible}); err != nil && !refused(err) {
				return false, err
			}
		}
		r.Occurrences, r.Counted = append(r.Occurrences, *o), r.Counted+1
	}
	return more, nil
}
