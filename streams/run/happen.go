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

// Get reads a run past all views; while NATS is away it is as it was known last. It fails with kv.ErrNotFound,
// kv.ErrUndecodable or kv.ErrUnavailable.
func (s *Service) Get(ctx context.Context, id string) (run.Record, error) {
	return s.plan.KnownRun(ctx, id)
}

// Happen has something happen to a run, and sends what orders follow. It fails as Get does, and with the error of ctx, after
// which it may have happened.
func (s *Service) Happen(ctx context.Context, id string, what run.Event) error {
	return s.happen(ctx, id, 0, what)
}

// now is what counts beside records and events.
func (s *Service) now() run.Now {
	return run.Now{At: s.plan.Now(), Grace: s.cfg.Grace, Node: s.cfg.Node}
}

// turn is a run as it was read, and what is to become of it.
type turn struct {
	revision uint64     // of the record
	guessed  bool       // it was not read, and may have changed since
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

// happen has things happen to a run, because of a timer's message of a revision, which goes with it; 0: of none. Who
// has them stored sends the orders that follow, also those of others that were stored with them.
func (s *Service) happen(ctx context.Context, id string, fired uint64, what ...run.Event) error {
	var stored turn
	served, err := s.lines.serve(ctx, id, &wish{what, fired, make(chan error, 1)}, func(l *line, all []*wish) (err error) {
		stored, err = s.fulfil(ctx, id, l.last, all)
		if l.last = nil; err == nil && stored.out.Changed {
			l.last = &stored
		}
		return err
	})
	if err != nil || !served {
		return err
	}
	return s.send(ctx, stored.next, stored.out)
}

// fulfil stores what follows from all wishes for a run, which was left as it is known; nil: as it was seen of late. While
// others are faster it reads and begins anew: that is no outage, however long it takes.
func (s *Service) fulfil(ctx context.Context, id string, last *turn, all []*wish) (turn, error) {
	var what []run.Event
	var fired uint64
	for _, w := range all {
		what, fired = append(what, w.what...), max(fired, w.fired)
	}
	pause := &backoff.ExponentialBackOff{
		InitialInterval: time.Millisecond, MaxInterval: 100 * time.Millisecond, Multiplier: 1.5, RandomizationFactor: 0.9,
	}
	if last == nil {
		last = s.seen(id)
	}
	for {
		t, err := s.decide(ctx, id, last, fired, what)
		if err != nil || !t.out.Changed && fired == 0 {
			return t, err
		}
		if t.revision, err = s.commit(ctx, t); err == nil {
			s.metrics.note(t)
			return t, nil
		}
		if !errors.Is(err, kv.ErrConflict) {
			return t, err
		}
		last = nil
		if kv.Sleep(ctx, pause.NextBackOff()) != nil {
			return t, fmt.Errorf("%w: %w", err, ctx.Err())
		}
	}
}

// decide is what follows for a run. That nothing does is decided only on the record as it stands.
func (s *Service) decide(ctx context.Context, id string, last *turn, fired uint64, what []run.Event) (t turn, err error) {
	if last != nil {
		t = turn{revision: last.revision, guessed: true, next: last.next}
	} else if t, err = s.read(ctx, id); err != nil {
		return turn{}, err
	}
	t.fired = fired
	t.next, t.out = run.AdvanceAll(t.next, what, s.now())
	switch {
	case t.out.Changed:
	case last != nil:
		return s.decide(ctx, id, nil, fired, what)
	case fired == 0:
		return t, nil
	}
	gone := fired > 0 && !t.out.Due.IsZero()                       // else nothing finds out that another one waits
	t.timer, err = s.timerOf(ctx, id, t.guessed, gone, t.revision) // after the record, which the commit finds out to be older
	return t, err
}

// seen is a run as it was seen of late; nil: it was not.
func (s *Service) seen(id string) *turn {
	r, revision, ok := s.plan.SeenRun(id)
	if !ok {
		return nil
	}
	return &turn{revision: revision, next: r}
}

// timerOf is the timer of a schedule or run. By a guess it is the one that was seen with the record or since, and none when it
// has gone as far as is known: the one that takes its place has to find out.
func (s *Service) timerOf(ctx context.Context, id string, guess, gone bool, revision uint64) (kv.Message, error) {
	if guess && gone {
		return kv.Message{}, nil
	}
	if guess {
		if m, ok := s.plan.SeenTimer(id, revision); ok {
			return m, nil
		}
	}
	return s.timers.Newest(ctx, kv.KeyOf(id))
}

// commit stores a turn, and says which revision of the record that is.
func (s *Service) commit(ctx context.Context, t turn) (uint64, error) {
	b := s.plan.Stream().NewBatch()
	if err := errors.Join(s.giveBack(ctx, b, t), s.set(b, t)); err != nil {
		return 0, err
	}
	return b.Commit(ctx)
}

// read reads the record of a run.
func (s *Service) read(ctx context.Context, id string) (turn, error) {
	m, err := s.runs.Value(ctx, kv.KeyOf(id))
	if err != nil {
		return turn{}, err
	}
	r, err := run.Decode(m.Data)
	if err != nil || r.ID != id {
		return turn{}, fmt.Errorf("run %q: %w: %w", id, kv.ErrUndecodable, err)
	}
	return turn{revision: m.Revision, next: r}, nil
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
