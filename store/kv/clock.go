package kv

import (
	"context"
	"sync/atomic"
	"time"

	"oc-scheduler/jet"
)

const (
	// readEvery is how often the clock of NATS is read.
	readEvery = 10 * time.Second
	// roughly is how inexact a reading may be that replaces an exacter one.
	roughly = 20 * time.Millisecond
	// readAge is how old a reading may get until any other is better: the stream may have another leader.
	readAge = time.Minute
)

// Clock is the time of NATS, as the server tells it that leads a stream. The replicas'
// own clocks may be wrong, each in its way: what the fleet does once is decided by this one. Between two
// readings it goes on by what the replica measures, whatever becomes of its own clock meanwhile.
type Clock struct {
	of   *Stream
	last atomic.Pointer[clockReading]
}

// clockReading says that it was server's time at that moment, give or take margin.
type clockReading struct {
	server, moment time.Time
	margin         time.Duration
}

func (r *clockReading) age() time.Duration { return time.Since(r.moment) }

// ReadClock makes the clock of a stream, and reads it once. It fails with ErrUnavailable.
func ReadClock(ctx context.Context, of *Stream) (*Clock, error) {
	c := &Clock{of: of}
	return c, c.read(ctx)
}

// Now is the time of NATS now.
func (c *Clock) Now() time.Time {
	r := c.last.Load()
	return r.server.Add(r.age())
}

// Run reads the clock again and again until ctx ends; then it returns nil. While NATS is out of reach, it
// goes on by itself.
func (c *Clock) Run(ctx context.Context) error {
	for Sleep(ctx, readEvery) == nil {
		_ = c.read(ctx) // the views tell of an outage
	}
	return nil
}

// read asks the server for its time. It fails with ErrUnavailable.
func (c *Clock) read(ctx context.Context) error {
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	r, err := jet.Hedged(attempt, func(ctx context.Context) (*clockReading, error) {
		sent := time.Now()
		stream, err := c.of.js.Stream(ctx, c.of.Name())
		if err != nil {
			return nil, err
		}
		half := time.Since(sent) / 2
		return &clockReading{server: stream.CachedInfo().TimeStamp, moment: sent.Add(half), margin: half}, nil
	})
	if err != nil {
		return classify(ctx, err)
	}
	if last := c.last.Load(); last == nil || r.margin <= max(last.margin, roughly) || last.age() > readAge {
		c.last.Store(r)
	}
	return nil
}
