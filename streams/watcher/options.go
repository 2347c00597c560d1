package watcher

import (
	"time"

	"github.com/jonboulle/clockwork"
)

// Option adjusts a store when it is opened.
type Option func(*options)

type options struct {
	clock       clockwork.Clock
	maxEvents   uint64
	openTimeout time.Duration
}

func collect(opts []Option) options {
	o := options{clock: clockwork.NewRealClock(), maxEvents: DefaultMaxEvents, openTimeout: 5 * time.Second}
	for _, f := range opts {
		f(&o)
	}
	return o
}

// WithClock sets where timestamps come from.
func WithClock(c clockwork.Clock) Option {
	return func(o *options) {
		if c != nil {
			o.clock = c
		}
	}
}

// WithMaxEvents bounds how many events are kept; the oldest go first, whether anyone has read them or
// not. Less than 1 is DefaultMaxEvents.
func WithMaxEvents(n int) Option {
	return func(o *options) {
		if n > 0 {
			o.maxEvents = uint64(n)
		}
	}
}

// WithOpenTimeout bounds the wait for another process to let go of the file.
func WithOpenTimeout(d time.Duration) Option {
	return func(o *options) {
		if d > 0 {
			o.openTimeout = d
		}
	}
}
