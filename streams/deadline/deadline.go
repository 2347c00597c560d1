// Package deadline has contexts that end by an injected clock.
//
// Those of clockwork, with a fake clock, block in Err until the context has ended; and the NATS client asks
// for Err before each request.
package deadline

import (
	"context"
	"errors"
	"time"

	"github.com/jonboulle/clockwork"
)

// timed is a context that ends by a clock.
type timed struct {
	context.Context
	deadline time.Time
}

// WithTimeout is context.WithTimeout by a clock: the context ends after d with context.DeadlineExceeded, or
// with its parent.
func WithTimeout(parent context.Context, clock clockwork.Clock, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	timer := clock.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return timed{ctx, clock.Now().Add(d)}, func() {
		timer.Stop()
		cancel(context.Canceled)
	}
}

// Deadline is the clock's, or the parent's if that is earlier.
func (t timed) Deadline() (time.Time, bool) {
	if d, ok := t.Context.Deadline(); ok && d.Before(t.deadline) {
		return d, true
	}
	return t.deadline, true
}

// Err is DeadlineExceeded when the clock ended the context.
func (t timed) Err() error {
	err := t.Context.Err()
	if err != nil && errors.Is(context.Cause(t.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}
