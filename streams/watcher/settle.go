package watcher

import (
	"context"

	"oc-scheduler/streams/guard"
)

// settle brings an event to its end: filtered, handled or skipped. It says no when the Watcher was
// stopped, or turned elsewhere, before that.
func (c *course) settle(ctx context.Context, e Event) bool {
	if !c.cfg.Filter.Matches(e) {
		c.update(func(s *Stats) { s.Filtered++ })
		return true
	}
	for attempt := 1; ; attempt++ {
		err := guard.Run(func() error { return c.handler.HandleEvent(ctx, e) })
		switch {
		case err == nil:
			c.handled(attempt)
			return true
		case ctx.Err() != nil:
			return false
		}
		c.failed(err)
		if c.cfg.OnFailure == Skip && attempt >= c.cfg.MaxAttempts {
			c.skip(ctx, e, err)
			return true
		}
		c.log.DebugContext(ctx, "event is not handled yet", "sequence", e.SeqNum, "attempt", attempt, "error", err)
		if !c.pause(ctx) {
			return false
		}
	}
}

func (c *course) handled(attempts int) {
	if attempts > 1 {
		c.cfg.Backoff.Reset()
	}
	c.update(func(s *Stats) { s.Handled, s.LastError = s.Handled+1, nil })
}

func (c *course) skip(ctx context.Context, e Event, err error) {
	c.cfg.Backoff.Reset()
	c.update(func(s *Stats) { s.Skipped++ })
	c.log.ErrorContext(ctx, "event is skipped", "sequence", e.SeqNum, "object_type", e.ObjectType,
		"attempts", c.cfg.MaxAttempts, "error", err)
}
