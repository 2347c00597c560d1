package booking

import (
	"context"
	"errors"

	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// How many occurrences are shown of a schedule: of those that are over, and of those that are not.
const shownBefore, shownAhead = 20, 256

// Get is a schedule with its last and its next occurrences; while NATS is away, as it was known last. It fails with
// ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
func (s *Service) Get(ctx context.Context, id string) (schedule.Schedule, error) {
	shown, _, err := s.GetLogged(ctx, id)
	return shown, err
}

// GetLogged is Get, with the log of what has led there.
func (s *Service) GetLogged(ctx context.Context, id string) (schedule.Schedule, history.Log, error) {
	r, err := s.known(ctx, id)
	if err != nil {
		return schedule.Schedule{}, nil, err
	}
	now := s.plan.Now()
	s.assess(&r, now)
	over := 0
	for over < len(r.Occurrences) && !r.Occurrences[over].End.After(now) {
		over++
	}
	r.Occurrences = r.Occurrences[max(over-shownBefore, 0):min(over+shownAhead, len(r.Occurrences))]
	return r.Schedule, r.Log, nil
}

// known is a schedule or, while NATS is away, what was known of it last. It fails as Get does.
func (s *Service) known(ctx context.Context, id string) (schedule.Record, error) {
	if !schedule.OfSchedule.Is(id) {
		return schedule.Record{}, ErrNotFound
	}
	r, err := s.plan.KnownSchedule(ctx, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = ErrNotFound
	}
	return r, err
}

// schedule reads a schedule. It fails as Get does.
func (s *Service) schedule(ctx context.Context, id string) (schedule.Record, uint64, error) {
	if !schedule.OfSchedule.Is(id) {
		return schedule.Record{}, 0, ErrNotFound
	}
	r, revision, err := s.plan.Schedule(ctx, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = ErrNotFound
	}
	return r, revision, err
}

// Schedules is this replica's list of schedules, without occurrences.
func (s *Service) Schedules() *kv.View[plan.Listed] { return s.plan.Schedules() }

// Cancel ends a schedule that somebody wants no more, if it has not ended: what has not begun is freed. It fails with
// ErrNotFound, and as plan.Try does.
func (s *Service) Cancel(ctx context.Context, id, by string) error {
	return s.end(ctx, id, by, schedule.Cancelled, "cancelled: it was asked for")
}

// End ends a schedule for a reason that nobody asked for, as Cancel does.
func (s *Service) End(ctx context.Context, id, reason string) error {
	return s.end(ctx, id, history.BySelf, schedule.Ended, reason)
}

func (s *Service) end(ctx context.Context, id, by string, as schedule.State, reason string) error {
	return s.plan.Try(ctx, func(ctx context.Context, _ bool) (*plan.Commit, error) {
		r, revision, err := s.schedule(ctx, id)
		if err != nil {
			return nil, err
		}
		if r.State.Final() {
			return nil, s.plan.Await(ctx, revision) // who is told so is shown so
		}
		now := s.plan.Now()
		takes := r.Bookings(now)
		r.State, r.Reason = as, reason
		for i, o := range r.Occurrences {
			if o.RunID == nil && (o.State.Holds() || o.State == schedule.Pending) && o.End.After(now) {
				r.Occurrences[i].State = schedule.CancelledOccurrence
			}
		}
		timer, err := s.plan.TimerRevision(ctx, id)
		if err != nil {
			return nil, err
		}
		c := s.plan.NewCommit(by)
		c.NoTimer(id, timer)
		c.Schedule(&r, revision)
		return c, s.turnInto(ctx, c, id, takes, r.Bookings(now))
	})
}
