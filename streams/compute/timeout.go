package compute

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

// withTimeout is context.WithTimeout by a clock. (That of clockwork, with a fake clock, blocks in Err
// until the context has ended; the NATS client asks for Err before each request.)
func withTimeout(parent context.Context, clock clockwork.Clock, d time.Duration) (context.Context, context.CancelFunc) {
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
