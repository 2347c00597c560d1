package carry

import (
	"context"
	"time"
)

// carry tells the client what the source has to say until either ends, and returns how.
func (c *Carriers) carry(ctx context.Context, a *answer, s Source) *Ending {
	defer s.Close()
	closed := c.Opened(a.carrier)
	e := asEnding(c.guard(func() error { return c.follow(ctx, a, s) }))
	if e.Last != nil && a.carrier == Events {
		if err := a.frame(*e.Last); err != nil {
			e = endingOfWrite(err)
		}
	}
	closed(e)
	return e
}

// follow writes each frame, and comments between events. The error is the ending, or what it stands for.
func (c *Carriers) follow(ctx context.Context, a *answer, s Source) error {
	wake := make(chan struct{}, 1)
	s.OnWake(func() {
		select {
		case wake <- struct{}{}:
		default: // it holds one
		}
	})
	quiet, stop := a.comments(c.cfg.CommentEvery)
	defer stop()
	a.announce()
	frame, ok, err := s.Poll()
	if err := a.begin(err); err != nil {
		return endingOfWrite(err)
	}
	for ; err == nil; frame, ok, err = s.Poll() {
		news := (<-chan struct{})(wake)
		if ok {
			if err := a.frame(frame); err != nil {
				return endingOfWrite(err)
			}
			c.hooks.Wrote(a.carrier, frame)
			news = atOnce
		}
		select {
		case <-ctx.Done():
			return endingOf(ctx)
		case <-quiet:
			if err := a.write([]byte(":\n\n")); err != nil {
				return endingOfWrite(err)
			}
		case <-news:
		}
	}
	return err
}

// atOnce is the wake of a source that may have more to say.
var atOnce = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// comments tells when one is due: they keep proxies from closing a silent connection. Text has nothing of
// the kind.
func (a *answer) comments(every time.Duration) (due <-chan time.Time, stop func()) {
	if a.carrier == Text {
		return nil, func() {}
	}
	tick := time.NewTicker(every)
	return tick.C, tick.Stop
}
