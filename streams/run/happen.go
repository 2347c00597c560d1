package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
)

// Add has a run be seen through whose record was just made. It fails with kv.ErrConflict when there is one of
// that id, kv.ErrTooLarge or kv.ErrUnavailable.
func (s *Service) Add(ctx context.Context, r run.Record, due time.Time) error {
	b := s.plan.Stream().NewBatch()
	if err := s.set(b, turn{next: r, out: run.Outcome{Changed: true, Due: due}}); err != nil {
		return err
	}
	_, err := b.Commit(ctx)
	return err
}

// Get reads a run past all views. It fails with kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
func (s *Service) Get(ctx context.Context, id string) (run.Record, error) {
	t, err := s.read(ctx, id)
	return t.next, err
}

// Happen has something happen to a run, and sends what orders follow. It fails as Get does.
func (s *Service) Happen(ctx context.Context, id string, what run.Event) error {
	return s.happen(ctx, id, what, 0)
}

// now is what counts beside records and events.
func (s *Service) now() run.Now {
	return run.Now{At: s.plan.Now(), Grace: s.cfg.Grace, Node: s.cfg.Node}
}

// turn is a run as it was read, and what is to become of it.
type turn struct {
	revision uint64     // of the record
	timer    kv.Message // how it was to be looked at again; none: it was not
	fired    uint64     // of the message of the timer that has this happen; 0: there is none
	next     run.Record
	out      run.Outcome
}

// by is who had the last of it happen.
func (t turn) by() string {
	if n := len(t.out.History); n > 0 {
		return t.out.History[n-1].By
	}
	return history.BySelf
}

// happen is Happen because of a timer's message of a revision, which goes with it; 0: of none.
func (s *Service) happen(ctx context.Context, id string, what run.Event, fired uint64) error {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: time.Millisecond, MaxInterval: 100 * time.Millisecond, Multiplier: 1.5, RandomizationFactor: 0.9,
	}
	for {
		t, err := s.read(ctx, id)
		if err != nil {
			return err
		}
		t.fired = fired
		t.next, t.out = run.Advance(t.next, what, s.now())
		if !t.out.Changed && fired == 0 {
			return nil
		}
		b := s.plan.Stream().NewBatch()
		if err := errors.Join(s.giveBack(ctx, b, t), s.set(b, t)); err != nil {
			return err
		}
		_, err = b.Commit(ctx)
		if err == nil {
			s.metrics.note(t)
			return s.send(ctx, t.next, t.out)
		}
		if !errors.Is(err, kv.ErrConflict) {
			return err
		}
		if err := kv.Sleep(ctx, pause.NextBackOff()); err != nil {
			return err
		}
	}
}

// read reads a record and the revision of its timer. That order matters: a timer that is set between is seen to
// be another one only if the record is the older one, which the commit finds out.
func (s *Service) read(ctx context.Context, id string) (turn, error) {
	key := kv.KeyOf(id)
	m, err := s.runs.Value(ctx, key)
	if err != nil {
		return turn{}, err
	}
	r, err := run.Decode(m.Data)
	if err != nil || r.ID != id {
		return turn{}, fmt.Errorf("run %q: %w: %w", id, kv.ErrUndecodable, err)
	}
	timer, err := s.timers.Newest(ctx, key)
	return turn{revision: m.Revision, timer: timer, next: r}, err
}

// set puts into a batch what follows. The record comes last: by it the outcome is known when the answer is lost.
func (s *Service) set(b *kv.Batch, t turn) error {
	key := kv.KeyOf(t.next.ID)
	var errs []error
	switch {
	case !t.out.Due.IsZero() && plan.Waits(t.timer, t.out.Due): // one message instead of a batch
	case !t.out.Due.IsZero():
		errs = append(errs, b.SetAt(s.timers, key, t.timer.Revision, plan.Timer(t.next.ID, t.out.Due)))
	case t.timer.Revision > 0:
		errs = append(errs, b.SetAt(s.timers, key, t.timer.Revision, kv.Remove(time.Hour)))
	}
	if t.fired > 0 {
		errs = append(errs, b.SetAt(s.fired, key, t.fired, kv.Remove(time.Hour)))
	}
	if t.out.Changed {
		data, err := json.Marshal(t.next)
		w := &kv.Write{Data: data}
		if t.next.State.Final() {
			w.TTL = plan.KeptFor
		}
		errs = append(errs, err, b.SetAt(s.runs, key, t.revision, w))
	}
	return errors.Join(errs...)
}
