package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/coder/websocket"
)

// attempts paces what is tried again.
type attempts struct {
	patience time.Duration // since something came; below 0: without an end
	lost     func(err error, pause time.Duration)

	delays *backoff.ExponentialBackOff
	since  time.Time
	failed int
}

func newAttempts(c *call) *attempts {
	a := &attempts{patience: c.patience, lost: c.lost, delays: backoff.NewExponentialBackOff()}
	a.delays.MaxInterval = 10 * time.Second
	a.came()
	return a
}

// came notes that something came: what fails after it fails for the first time.
func (a *attempts) came() {
	a.delays.Reset()
	a.since, a.failed = time.Now(), 0
}

// again waits for the next try after a failure. When there shall be none, it returns the failure, or why the context ended.
func (a *attempts) again(ctx context.Context, failure error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	pause := a.pause(failure)
	if !a.ended(failure) {
		if !Temporary(failure) || a.patience >= 0 && time.Since(a.since)+pause > a.patience {
			return failure
		}
		if a.lost != nil {
			a.lost(failure, pause)
		}
	}
	a.failed++
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}

// ended says whether a replica has ended the stream, which is no failure yet: it is asked whether there is more.
func (a *attempts) ended(failure error) bool { return a.failed == 0 && errors.Is(failure, errEnded) }

// pause is how long to wait. A replica that drains has others beside it, and all whom it sends away come at once: soon,
// but not together.
func (a *attempts) pause(failure error) time.Duration {
	c, closed := errors.AsType[*ClosedError](failure)
	if a.ended(failure) || closed && c.Code == int(websocket.StatusServiceRestart) && a.failed == 0 {
		return rand.N(100 * time.Millisecond)
	}
	pause := a.delays.NextBackOff()
	if p, ok := errors.AsType[*Problem](failure); ok {
		pause = max(pause, p.RetryAfter)
	}
	return pause
}
