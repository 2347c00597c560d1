package compute

import (
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// jitterShare of the reconnect interval is the longest pause after the first loss: enough that a
// thousand nodes don't come back in the same instant.
const jitterShare = 5

// pace is how fast a node connects again: at once after the loss of a connection that had proved
// itself, slower with each failure.
type pace struct {
	interval time.Duration // a connection that lived as long has proved itself
	backoff  backoff.BackOff
	jitter   func(longest time.Duration) time.Duration
	hasty    bool // the attempt at once was made and has not proved itself
}

func newPace(c Config) pace {
	jitter := func(longest time.Duration) time.Duration { return rand.N(longest + 1) }
	return pace{interval: c.ReconnectInterval, backoff: c.ReconnectBackoff, jitter: jitter}
}

// next is the pause after a connection that lived so long; 0: it was none, only an attempt.
func (p *pace) next(connected bool, lived time.Duration) time.Duration {
	if lived >= p.interval {
		p.backoff.Reset()
		p.hasty = false
	}
	if connected && !p.hasty {
		p.hasty = true
		return p.jitter(p.interval / jitterShare)
	}
	if d := p.backoff.NextBackOff(); d != backoff.Stop {
		return d
	}
	return p.interval
}
