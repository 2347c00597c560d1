package plan

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/store/kv"
)

// tryTimeout bounds a commit, however often it is decided anew.
const tryTimeout = 15 * time.Second

var (
	// ErrStale says that something can't be decided on views that may lack what others have committed.
	ErrStale = errors.New("the views may be behind")
	// ErrContended says that others have changed what a commit was decided on, as often as there was time to decide.
	ErrContended = errors.New("others were faster each time")
	// ErrSlow says that there is more to decide on than there was time.
	ErrSlow = errors.New("it takes too long to decide")
)

// Decide says what to commit; nil is nothing: what stands already it has awaited, so that the views show it. fresh
// tells whether they are known to show all that was committed before it was tried: if not, it may return ErrStale to
// be asked again when they do.
type Decide func(ctx context.Context, fresh bool) (*Commit, error)

// Try commits what is decided; when something that it was decided on has changed meanwhile, it has it decided
// again, once the views show what. When Try has returned, the views of this replica show the commit. It fails
// with the errors of decide, with ErrContended or ErrSlow, after which nothing is written, with kv.ErrUnavailable, after
// which the outcome may be unknown, and with kv.ErrTooLarge or kv.ErrUnstorable.
func (p *Plan) Try(ctx context.Context, decide Decide) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	pause := &backoff.ExponentialBackOff{
		InitialInterval: time.Millisecond, MaxInterval: 100 * time.Millisecond, Multiplier: 1.5, RandomizationFactor: 0.9,
	}
	known, late := map[kv.Key]uint64{}, ErrSlow
	for fresh := false; ; {
		seen := p.Seen()
		c, err := decide(ctx, fresh)
		switch {
		case err == nil && c == nil:
			return nil
		case ended(ctx) && (err == nil || errors.Is(err, ErrStale) || isDeadline(err)):
			return late
		case errors.Is(err, ErrStale):
			if err := p.Sync(ctx); err != nil {
				return err
			}
			fresh = true
			continue
		case err != nil:
			return err
		}
		revision, err := c.commit(ctx, seen, known)
		if errors.Is(err, kv.ErrConflict) {
			late = ErrContended
			if revision, err = c.overtaken(ctx, known, pause.NextBackOff()); revision == 0 && err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		return p.Await(ctx, revision)
	}
}

// ended says whether the time is over.
func ended(ctx context.Context) bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }

// isDeadline says whether an error is that of the time alone, and not of something that was waited for.
func isDeadline(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, kv.ErrUnavailable)
}

// overtaken is the revision of a commit that was refused and stands all the same, for an earlier try was made; else it
// waits until it can be decided anew, and is 0. It fails with ErrContended when there is no time for that.
func (c *Commit) overtaken(ctx context.Context, known map[kv.Key]uint64, pause time.Duration) (uint64, error) {
	revision, unsure := c.stands(ctx)
	if revision > 0 {
		return revision, nil
	}
	err := c.catchUp(ctx, known)
	if err == nil {
		err = kv.Sleep(ctx, pause)
	}
	if err != nil && unsure == nil && ended(ctx) {
		err = ErrContended
	}
	return 0, err
}

// commit stores all, if the heads are still those that the views showed when it was decided, or before.
func (c *Commit) commit(ctx context.Context, seen uint64, known map[kv.Key]uint64) (uint64, error) {
	heads := map[kv.Key]uint64{}
	for _, place := range c.touched {
		key := HeadKey(place)
		if heads[key] = known[key]; heads[key] == 0 || c.plan.headRevision(key) > 0 {
			heads[key] = c.plan.headRevision(key)
		}
		if heads[key] > seen {
			return 0, kv.ErrConflict // it has changed while this was decided
		}
	}
	if err := c.seal(heads); err != nil {
		return 0, err
	}
	return c.batch.Commit(ctx)
}

// headRevision is that of the head that the view shows; 0: there is none.
func (p *Plan) headRevision(key kv.Key) uint64 {
	e, _ := p.headOf.At(key)
	return e.Revision
}

// stands is the revision of the record, if it is as the commit would have it: so an earlier try was made whose
// answer was lost. Else it is 0.
func (c *Commit) stands(ctx context.Context) (revision uint64, err error) {
	if c.main == nil {
		return 0, nil
	}
	m, err := c.main.keys.Newest(ctx, c.main.key)
	if err != nil || m.Revision <= c.main.revision || c.main.write.Marker == m.Live() || !bytes.Equal(m.Data, c.main.write.Data) {
		return 0, err
	}
	return m.Revision, nil
}

// catchUp reads the heads, those too that have ended and are not in the view, and waits until the views show
// all that came up to them.
func (c *Commit) catchUp(ctx context.Context, known map[kv.Key]uint64) error {
	b := c.plan.stream.NewBatch()
	keys := make([]kv.Key, len(c.touched))
	for i, place := range c.touched {
		keys[i] = HeadKey(place)
	}
	if err := b.Load(ctx, c.plan.heads, keys...); err != nil {
		return err
	}
	newest := uint64(0)
	for _, key := range keys {
		m, err := b.Message(ctx, c.plan.heads, key)
		if err != nil {
			return err
		}
		known[key] = m.Revision
		newest = max(newest, m.Revision)
	}
	return c.plan.Await(ctx, newest)
}
