package run

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
)

// begin makes the runs of a schedule that are due, and starts them: in the same commit, so that an occurrence has
// one run, whoever else begins it. It fails as Get does.
func (s *Service) begin(ctx context.Context, id string) error {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: time.Millisecond, MaxInterval: 100 * time.Millisecond, Multiplier: 1.5, RandomizationFactor: 0.9,
	}
	for {
		begun, err := s.tryBegin(ctx, id)
		if err == nil {
			var errs []error
			for _, t := range begun {
				errs = append(errs, s.send(ctx, t.next.ID, t.out))
			}
			return errors.Join(errs...)
		}
		if !errors.Is(err, kv.ErrConflict) {
			return err
		}
		if err := kv.Sleep(ctx, pause.NextBackOff()); err != nil {
			return err
		}
	}
}

func (s *Service) tryBegin(ctx context.Context, id string) ([]turn, error) {
	key := kv.KeyOf(id)
	m, err := s.schedules.Value(ctx, key)
	if err != nil {
		return nil, err
	}
	r, err := plan.DecodeSchedule(key, m)
	if err != nil {
		return nil, err
	}
	begun, err := s.dueOf(&r)
	if err != nil || len(begun) == 0 {
		return nil, err
	}
	b := s.plan.Stream().NewBatch()
	var errs []error
	for _, t := range begun {
		errs = append(errs, s.cut(ctx, b, &r, t), s.set(b, t))
	}
	errs = append(errs, s.setSchedule(b, &r, m.Revision))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	_, err = b.Commit(ctx)
	return begun, err
}
