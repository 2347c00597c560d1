package compute

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/streams/ncl"
)

const (
	// jitterShare of the reconnect interval is the longest pause after the first loss: enough that a
	// thousand nodes don't come back in the same instant.
	jitterShare = 5
	// nobodyFactor × the reconnect interval is the longest pause while no replica is there. To ask costs
	// nobody anything then, and once they are back, all nodes shall be soon.
	nobodyFactor = 3
)

// pace is how fast a node connects again: at once after the loss of a connection that had proved
// itself, slower with each failure.
type pace struct {
	interval time.Duration // a connection that lived as long has proved itself
	backoff  backoff.BackOff
	jitter   func(longest time.Duration) time.Duration
	hasty    bool // the attempt at once was made and has not proved itself
	nobody   bool // the last attempt found no replica
}

func newPace(c Config) pace {
	jitter := func(longest time.Duration) time.Duration { return rand.N(longest + 1) }
	return pace{interval: c.ReconnectInterval, backoff: c.ReconnectBackoff, jitter: jitter}
}

// next is the pause after a connection that lived so long and ended with err, or after an attempt.
func (p *pace) next(connected bool, lived time.Duration, err error) time.Duration {
	nobody := errors.Is(err, ncl.ErrNoResponders)
	if lived >= p.interval {
		p.hasty = false
	}
	if lived >= p.interval || p.nobody && !nobody {
		p.backoff.Reset()
	}
	p.nobody = nobody
	if connected && !p.hasty {
		p.hasty = true
		return p.jitter(p.interval / jitterShare)
	}
	d := p.backoff.NextBackOff()
	if d == backoff.Stop {
		d = p.interval
	}
	if longest := nobodyFactor * p.interval; nobody && d > longest {
		d = longest/2 + p.jitter(longest/2)
	}
	return d
}
