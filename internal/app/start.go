package app

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/jet"
	"oc-scheduler/store"
)

// openWithin bounds one attempt to open buckets and bus.
const openWithin = 10 * time.Second

var errNotConnected = errors.New("not connected to NATS yet")

// runEngine builds the engine as soon as NATS lets it, attaches it to the HTTP side and runs it.
func (r *Replica) runEngine(ctx context.Context) error {
	e, err := persist(ctx, r, func() (*engine, error) {
		if !r.nc.IsConnected() {
			return nil, errNotConnected
		}
		attempt, cancel := context.WithTimeout(ctx, openWithin)
		defer cancel()
		return assemble(attempt, r.nc, r.cfg, r.log, r.reg)
	})
	if err == nil {
		_, err = persist(ctx, r, func() (struct{}, error) { return struct{}{}, r.bootstrap(ctx, e.store.Tokens) })
	}
	if err == nil {
		r.warnOfPayload(ctx)
		e.lease, err = persist(ctx, r, func() (*store.Held, error) { return r.holdLease(ctx, e.store.Leases) })
	}
	if err == nil {
		r.engine.Store(e)
		r.http.Attach(e.parts())
		err = r.work(ctx, e)
	}
	switch {
	case ctx.Err() != nil: // stopped, perhaps before NATS was reached
		return nil
	case needsOperator(err):
		return &ConfigError{err}
	}
	return err
}

// work runs the engine until ctx ends, on whichever NATS server is in touch with its cluster.
func (r *Replica) work(ctx context.Context, e *engine) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.run(ctx) })
	g.Go(func() error { return r.roam(ctx, e) })
	g.Go(func() error { return r.mark(ctx) })
	return g.Wait()
}

// mark has streams of an earlier release bear the versions of their layouts. Nothing waits for that.
func (r *Replica) mark(ctx context.Context) error {
	js, err := jetstream.New(r.nc)
	if err != nil {
		return err
	}
	if err := jet.MarkStreams(ctx, js, expected(r.cfg.JSReplicas)); err != nil && ctx.Err() == nil {
		r.log.WarnContext(ctx, "streams bear no version of their layout: a later release may not be able to change them in place", "error", err)
	}
	return nil
}

// persist tries f until it succeeds, with growing delays and jitter, for NATS out of reach is no
// failure; or until it fails with what only an operator can cure.
func persist[T any](ctx context.Context, r *Replica, f func() (T, error)) (T, error) {
	delays := backoff.NewExponentialBackOff()
	delays.InitialInterval, delays.MaxInterval = 200*time.Millisecond, 5*time.Second
	attempt := func() (T, error) {
		result, err := f()
		if needsOperator(err) {
			return result, backoff.Permanent(err)
		}
		return result, err
	}
	return backoff.Retry(ctx, attempt, backoff.WithBackOff(delays), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, _ time.Duration) { r.waiting(ctx, err) }))
}

func needsOperator(err error) bool {
	_, is := errors.AsType[*ConfigError](err)
	return is || jet.NeedsOperator(err) || errors.Is(err, store.ErrLeaseHeld)
}

// waiting tells operators what the start waits for: in the log when that changes, in /readyz always.
func (r *Replica) waiting(ctx context.Context, err error) {
	before := r.opening.Swap(&err)
	if before == nil || (*before).Error() != err.Error() {
		r.log.WarnContext(ctx, "not started yet, trying again", "error", err)
	}
}
