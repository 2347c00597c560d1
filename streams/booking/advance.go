package booking

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// advance does what is due of a schedule, which was in a state before.
func (s *Service) advance(ctx context.Context, c *plan.Commit, r *schedule.Record, before schedule.State, revision, timer uint64, fresh bool) error {
	asked, v, length, err := s.asked(r, fresh)
	if err != nil {
		return err
	}
	had := r.Bookings(v.now)
	pass(r, asked, before, v.now)
	if err := v.again(ctx, r, asked); err != nil {
		return err
	}
	more, err := v.extend(ctx, r, asked, length)
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
	if err := s.turnInto(ctx, c, r.ID, had, r.Bookings(v.now)); err != nil {
		return err
	}
	return v.displace(ctx, c)
}

// asked is what a schedule was asked for, what it needs, and how long its windows are.
func (s *Service) asked(r *schedule.Record, fresh bool) (asked schedule.Request, v *sight, length time.Duration, err error) {
	if asked, err = schedule.DecodeRequest(r.Request, schedule.ScheduleBody); err == nil {
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
