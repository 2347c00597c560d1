package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
)

// begin makes the runs of a schedule that are due, and starts them: in the same commit, so that an occurrence has
// one run, whoever else begins it. handled says that with it all was done that a timer's message of a revision is for;
// 0: there is none. It fails as Get does.
func (s *Service) begin(ctx context.Context, id string, fired uint64) (handled bool, err error) {
	begun, handled, err := s.makeRuns(ctx, id, false, fired)
	errs := []error{err}
	for _, t := range begun {
		errs = append(errs, s.send(ctx, t.next, t.out))
	}
	return handled, errors.Join(errs...)
}

// Start makes the run of a schedule of one occurrence, before its time, too; where there is one, it is that. It
// fails as Get does; the run may begin all the same, in time.
func (s *Service) Start(ctx context.Context, scheduleID string) (run.Record, error) {
	begun, _, err := s.makeRuns(ctx, scheduleID, true, 0)
	if err != nil {
		return run.Record{}, err
	}
	for _, t := range begun {
		if err := s.send(ctx, t.next, t.out); err != nil { // its timer has it sent
			s.cfg.Log.WarnContext(ctx, "orders could not be sent; they go out later", "run_id", t.next.ID, "error", err)
		}
	}
	r, _, err := s.plan.Schedule(ctx, scheduleID)
	if err != nil {
		return run.Record{}, err
	}
	if len(r.Occurrences) == 0 || r.Occurrences[0].RunID == nil { // somebody was faster, and cancelled it
		return run.Record{}, fmt.Errorf("a run of schedule %q: %w", scheduleID, kv.ErrNotFound)
	}
	return s.Get(ctx, *r.Occurrences[0].RunID)
}

// makeRuns stores the runs of a schedule that are due; with early also those that are not. handled is as begin has it. It
// fails as Get does.
func (s *Service) makeRuns(ctx context.Context, id string, early bool, fired uint64) (begun []turn, handled bool, err error) {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: time.Millisecond, MaxInterval: 100 * time.Millisecond, Multiplier: 1.5, RandomizationFactor: 0.9,
	}
	for guess := true; ; guess = false {
		begun, handled, err = s.tryRuns(ctx, id, early, fired, guess)
		if err == nil && len(begun) == 0 && guess { // that nothing is due is decided only on the record as it stands
			continue
		}
		if !errors.Is(err, kv.ErrConflict) {
			return begun, handled, err
		}
		if err := kv.Sleep(ctx, pause.NextBackOff()); err != nil {
			return nil, false, err
		}
	}
}

func (s *Service) tryRuns(ctx context.Context, id string, early bool, fired uint64, guess bool) (begun []turn, handled bool, err error) {
	r, revision, err := s.schedule(ctx, id, guess)
	if err != nil {
		return nil, false, err
	}
	begun, err = s.runsOf(&r, early)
	if err != nil || len(begun) == 0 {
		return nil, false, err
	}
	b := s.plan.Stream().NewBatch()
	var errs []error
	for _, t := range begun {
		errs = append(errs, s.cut(ctx, b, &r, t), s.set(b, t))
	}
	if at, only := waitsOnly(&r, s.plan.Now()); only && fired > 0 {
		handled = true
		errs = append(errs, s.wakeAt(ctx, b, id, at, fired, guess))
	}
	errs = append(errs, s.setSchedule(b, &r, revision, begun[0].by()))
	if err := errors.Join(errs...); err != nil {
		return nil, false, err
	}
	if _, err = b.Commit(ctx); err != nil {
		return nil, false, err
	}
	for _, t := range begun {
		s.metrics.note(t)
	}
	return begun, handled, nil
}

// wakeAt sets the next timer of a schedule, and removes the message of the last one.
func (s *Service) wakeAt(ctx context.Context, b *kv.Batch, id string, at time.Time, fired uint64, guess bool) error {
	key := kv.KeyOf(id)
	timer, err := s.timerOf(ctx, id, guess, true, 0)
	if err != nil {
		return err
	}
	return errors.Join(b.SetAt(s.timers, key, timer.Revision, plan.Timer(id, at)), b.SetAt(s.fired, key, fired, kv.Remove(time.Hour)))
}
