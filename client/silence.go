package client

import (
	"context"
	"fmt"
	"time"
)

// silence is how long a connection may be silent: there is a comment every 15 s, or a ping every 25 s.
const silence = 40 * time.Second

var errSilent = fmt.Errorf("nothing was heard for %v", silence)

// ear ends a context when nothing was heard for too long. While it is closed, nothing is listened for.
type ear struct{ timer *time.Timer }

// listening is a context that ends by an ear.
func listening(ctx context.Context) (context.Context, *ear, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	e := &ear{time.AfterFunc(silence, func() { cancel(errSilent) })}
	return ctx, e, func() { e.timer.Stop(); cancel(nil) }
}

func (e *ear) heard() { e.timer.Reset(silence) }

// closed has something done that takes as long as it likes: whoever reads a stream may be slow.
func (e *ear) closed(do func() error) error {
	e.timer.Stop()
	defer e.heard()
	return do()
}

// whyEnded is why a read failed: what ended its context counts more than what that broke.
func whyEnded(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
