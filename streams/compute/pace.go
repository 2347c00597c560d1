package compute

import (
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/ncl"
)

const (
	// jitterShare of the reconnect interval is the longest pause after the first loss: enough that a
	// thousand nodes don't come back in the same instant.
	jitterShare = 5
	// nobodyFactor × the reconnect interval is the longest pause while no replica is there, or no NATS server.
	// To ask costs nobody anything then, and once they are back, all nodes shall be soon.
	nobodyFactor = 3
)

// pace is how fast a node connects again: at once after the loss of a connection that had proved
// itself, slower with each failure to get one.
type pace struct {
	interval time.Duration // a connection that lived as long has proved itself
	backoff  backoff.BackOff
	jitter   func(longest time.Duration) time.Duration
	hasty    bool // the attempt at once was made and has not proved itself
	nobody   bool // the last attempt found nobody
}

func newPace(c Config) pace {
	jitter := func(longest time.Duration) time.Duration { return rand.N(longest + 1) }
	return pace{interval: c.ReconnectInterval, backoff: c.ReconnectBackoff, jitter: jitter}
}

// nobodyThere says whether err is about absence: of replicas, or of any NATS server.
func nobodyThere(err error) bool {
	_, unreached := errors.AsType[*net.OpError](err)
	return unreached || errors.Is(err, ncl.ErrNoResponders) || errors.Is(err, nats.ErrNoServers)
}

// next is the pause after a connection that lived so long and ended with err, or after an attempt.
func (p *pace) next(connected bool, lived time.Duration, err error) time.Duration {
	nobody := nobodyThere(err)
	if lived >= p.interval {
		p.hasty = false
	}
	if connected || p.nobody && !nobody {
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
	if later, is := errors.AsType[*laterError](err); is {
		d = min(d, later.after+p.jitter(later.after/jitterShare))
	}
	return d
}
