package booking

import (
	"context"
	"errors"

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
		case errors.Is(err, errNothing): // who is told so is shown so
			return nil, s.plan.Await(ctx, revision)
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
