package booking

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// Hold takes what a request needs until its time to live ends. It fails as Book does, and with ErrGone when what an
// earlier claim has made has ended.
func (s *Service) Hold(ctx context.Context, a Asked, r schedule.Request) (schedule.Hold, error) {
	if made := a.Claim.Before(); made != "" {
		h, err := s.GetHold(ctx, made)
		if errors.Is(err, ErrNotFound) { // what was made has ended meanwhile
			err = ErrGone
		}
		return h, err
	}
	var made *schedule.HoldRecord
	id := s.plan.NewID(schedule.OfHold)
	err := s.try(ctx, a, r, id, func(ctx context.Context, v *sight, w store.WorkflowRecord, win booking.Window) (*plan.Commit, error) {
		if win.End <= v.now.UnixNano() {
			return nil, fault.List{{Path: "$.start", Message: "the window is over"}}
		}
		taken, win, err := v.fit(ctx, win)
		if err != nil {
			return nil, err
		}
		made = &schedule.HoldRecord{
			Hold: schedule.Hold{
				ID: id, WorkflowID: a.WorkflowID, Start: time.Unix(0, win.Start).UTC(), End: time.Unix(0, win.End).UTC(),
				ExpiresAt: v.now.Add(r.TTL).UTC(), State: schedule.Held, Bookings: taken,
			},
			CreatedBy: a.By, Request: r.Body, Workflow: w.Raw, WorkflowAfter: w.After,
		}
		c := s.plan.NewCommit(a.By)
		for _, b := range made.Takes() {
			c.Take(b, 0)
		}
		c.Fulfil(a.Claim, id)
		c.Hold(made, 0)
		return c, v.displace(ctx, c)
	})
	if err != nil {
		return schedule.Hold{}, err
	}
	return made.Hold, nil
}

// GetHold is a hold until it ends; while NATS is away, as it was known last. It fails with ErrNotFound or
// kv.ErrUnavailable.
func (s *Service) GetHold(ctx context.Context, id string) (schedule.Hold, error) {
	if !schedule.OfHold.Is(id) {
		return schedule.Hold{}, ErrNotFound
	}
	h, err := s.plan.KnownHold(ctx, id)
	return h.Hold, s.ended(&h, err)
}

// hold reads a hold. It fails with ErrNotFound or kv.ErrUnavailable.
func (s *Service) hold(ctx context.Context, id string) (schedule.HoldRecord, uint64, error) {
	if !schedule.OfHold.Is(id) {
		return schedule.HoldRecord{}, 0, ErrNotFound
	}
	h, revision, err := s.plan.Hold(ctx, id)
	return h, revision, s.ended(&h, err)
}

// ended is the error of reading a hold: of one that has ended, ErrNotFound.
func (s *Service) ended(h *schedule.HoldRecord, err error) error {
	if errors.Is(err, kv.ErrNotFound) || err == nil && h.Over(s.plan.Now()) {
		return ErrNotFound
	}
	return err
}

// ReleaseHold ends a hold, if it has not ended; one that was confirmed stays what it has become. It fails with
// kv.ErrUnavailable, and with ErrNotFound for what is no id of a hold.
func (s *Service) ReleaseHold(ctx context.Context, id, by string) error {
	if !schedule.OfHold.Is(id) {
		return ErrNotFound
	}
	return s.plan.Try(ctx, func(ctx context.Context, _ bool) (*plan.Commit, error) {
		h, revision, err := s.hold(ctx, id)
		switch {
		case errors.Is(err, ErrNotFound): // who is told so is shown so
			return nil, s.plan.Sync(ctx)
		case err != nil:
			return nil, err
		case h.State == schedule.Confirmed:
			return nil, s.plan.Await(ctx, revision)
		}
		c := s.plan.NewCommit(by)
		c.Release(&h, revision)
		return c, s.turnInto(ctx, c, id, h.Takes(), nil)
	})
}

// Confirm turns a hold into a schedule of one occurrence. It fails with ErrNotFound for what is no id of a hold, with
// ErrGone once it has ended, with ErrConfirmed when it was confirmed before, a fault.List, as plan.Try does, and as its
// claim. Of what is asked the workflow is that of the hold.
func (s *Service) Confirm(ctx context.Context, id string, a Asked, r schedule.Request) (schedule.Schedule, error) {
	if !schedule.OfHold.Is(id) {
		return schedule.Schedule{}, ErrNotFound
	}
	if made := a.Claim.Before(); made != "" {
		return s.Get(ctx, made)
	}
	var made *schedule.Record
	scheduleID := s.plan.NewID(schedule.OfSchedule)
	err := s.plan.Try(ctx, func(ctx context.Context, _ bool) (*plan.Commit, error) {
		h, revision, err := s.hold(ctx, id)
		switch {
		case errors.Is(err, ErrNotFound):
			return nil, ErrGone
		case err != nil:
			return nil, err
		case h.State == schedule.Confirmed && *h.ScheduleID == scheduleID:
			return nil, nil // an earlier try was made
		case h.State == schedule.Confirmed:
			return nil, ErrConfirmed
		}
		if err := a.Claim.Check(ctx); err != nil || a.Claim.Before() != "" {
			return nil, err
		}
		now := s.plan.Now()
		if h.Start.Add(r.CatchUp).Before(now) {
			return nil, fault.List{{Path: "$.catch_up_s", Message: "the window began too long ago: no run would start any more"}}
		}
		if !h.End.After(now) {
			return nil, fault.List{{Path: fault.Root, Message: "the window is over: no run would start any more"}}
		}
		if outlived, err := s.outlived(ctx, &h); err != nil {
			return nil, err
		} else if outlived || s.overtaken(&h, now) {
			return nil, ErrGone
		}
		if made, err = confirmed(&h, scheduleID, a.By, r, now); err != nil {
			return nil, err
		}
		c := s.plan.NewCommit(a.By)
		for _, b := range made.Bookings(now) {
			c.Take(b, 0)
		}
		c.Timer(scheduleID, h.Start, 0)
		c.Fulfil(a.Claim, scheduleID)
		c.Confirm(made, &h, revision)
		return c, s.turnInto(ctx, c, id, h.Takes(), nil)
	})
	if err != nil {
		return schedule.Schedule{}, err
	}
	return made.Schedule, nil
}

// outlived says whether the workflow of a hold was removed since: then the hold is about to end. It is read past the
// view, which may not show that yet. It fails with kv.ErrUnavailable.
func (s *Service) outlived(ctx context.Context, h *schedule.HoldRecord) (bool, error) {
	e, err := s.stored.Get(ctx, h.WorkflowID)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return true, nil
	case errors.Is(err, kv.ErrUndecodable): // it is there, whatever it says
		return false, nil
	}
	return err == nil && e.Value.Outlived(h.WorkflowAfter, schedule.MadeAt(h.ID)), err
}

// confirmed is the schedule that a hold becomes.
func confirmed(h *schedule.HoldRecord, id, by string, r schedule.Request, now time.Time) (*schedule.Record, error) {
	request, err := schedule.ConfirmedRequest(h.Request, r.Body)
	return &schedule.Record{
		Schedule: schedule.Schedule{
			ID: id, WorkflowID: h.WorkflowID, State: schedule.Active, Request: request, CreatedAt: now.UTC(), CreatedBy: by, Labels: r.Labels,
			Occurrences: []schedule.Occurrence{{
				Nominal: h.Start, Start: h.Start, End: h.End, State: schedule.Booked, Bookings: h.Bookings,
			}},
		},
		Workflow: h.Workflow, WorkflowAfter: h.WorkflowAfter, Preemptible: r.Preemptible, Counted: 1,
	}, err
}
