package events

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/jet"
)

const (
	openTimeout = time.Second     // for the bus to answer; short, since a restart must not cost more
	workTimeout = time.Minute     // for a handler; then its event is delivered again
	stopGrace   = 5 * time.Second // for handlers to end when the Listener is stopped
)

// Listener reads the bus and has each accepted event handled.
type Listener struct {
	bus     *Bus
	handler Handler
	log     *slog.Logger
	metrics *metrics
	holds   *holds

	deaf       atomic.Pointer[error] // what the last session ended with; nil once the consumer has shown life
	mistaken   atomic.Bool           // it was told that somebody publishes planners in vain
	complained atomic.Int64          // when the failure of an event was last worth a warning, Unix ns
}

// NewListener makes a Listener; reg may be nil.
func NewListener(bus *Bus, handler Handler, log *slog.Logger, reg prometheus.Registerer) *Listener {
	return &Listener{
		bus: bus, handler: handler, log: log.With("component", "bus"),
		metrics: newMetrics(reg), holds: newHolds(),
	}
}

// Run reads the bus until ctx ends, over every outage, and then returns nil: handlers that are at
// work are waited for, and what they didn't begin is left to other replicas. It fails with a
// *jet.ForeignError or a *jet.NoClusterError alone, when somebody has put a foreign stream or consumer
// in the place of ours, or a server without the copies.
func (l *Listener) Run(ctx context.Context) error {
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	alive, stopAlive := context.WithCancel(context.WithoutCancel(ctx))
	var keeper sync.WaitGroup
	keeper.Go(func() { l.holds.keepAlive(alive, l.bus.ackWait/4) })
	keeper.Go(func() {
		jet.Waiting(alive, l.bus.js, Stream, Durable, func(messages uint64) { l.metrics.lag.Set(float64(messages)) })
	})
	keeper.Go(func() { l.keepDeadStream(alive) })
	lanes := newLanes(func(d *delivery) {
		if d.take() {
			l.settle(work, d)
		}
		l.holds.release(d)
	})

	err := l.supervise(ctx, lanes)
	for _, d := range l.holds.list() {
		if d.take() {
			_ = d.giveBack() // else it comes back after AckWait
		}
	}
	grace := time.AfterFunc(stopGrace, stopWork)
	lanes.finish()
	grace.Stop()
	stopAlive()
	keeper.Wait()
	return err
}

// Deaf says why nothing is heard of the bus; nil while the consumer shows life, and before anything is known.
func (l *Listener) Deaf() error {
	if err := l.deaf.Load(); err != nil {
		return *err
	}
	return nil
}

// supervise begins a session whenever the last one ended.
func (l *Listener) supervise(ctx context.Context, lanes *lanes) error {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: 20 * time.Millisecond, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: 300 * time.Millisecond,
	}
	for first := true; ctx.Err() == nil; first = false {
		began := time.Now()
		err := l.session(ctx, lanes)
		l.deaf.Store(&err)
		if jet.NeedsOperator(err) {
			return err
		}
		lasted := time.Since(began) > 2*openTimeout
		if lasted {
			pause.Reset()
		}
		if ctx.Err() == nil && (lasted || first) { // the first of a row of failures says it all
			l.log.WarnContext(ctx, "the bus is out of reach", "error", err)
		}
		wait := time.NewTimer(pause.NextBackOff())
		select {
		case <-ctx.Done():
		case <-wait.C:
		}
		wait.Stop()
	}
	return nil
}

// session reads from the consumer for as long as it answers.
func (l *Listener) session(ctx context.Context, lanes *lanes) error {
	opening, cancel := context.WithTimeout(ctx, openTimeout)
	created, err := l.bus.ensure(opening)
	cancel()
	if err != nil {
		return err
	}
	alive := sync.OnceFunc(func() {
		l.deaf.Store(nil)
		l.metrics.sessions.Inc()
		l.log.InfoContext(ctx, "reading the bus", "stream", Stream, "consumer", Durable)
	})
	nc := l.bus.js.Conn()
	lost := nc.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	defer nc.RemoveStatusListener(lost)
	return l.reader(lost, alive).Run(ctx, l.bus.js, func(m *nats.Msg) error {
		l.receive(ctx, m, created, lanes)
		alive()
		return nil
	})
}

// receive takes a delivery into a lane, unless it is not for us.
func (l *Listener) receive(ctx context.Context, m *nats.Msg, created time.Time, lanes *lanes) {
	d, err := newDelivery(l.bus.js.Conn(), m, created)
	if err != nil {
		l.log.ErrorContext(ctx, "the server's reply subject cannot be read", "error", err)
		return
	}
	d.err = l.contain(ctx, func() (err error) {
		d.event, err = accept(m.Subject, m.Header, m.Data)
		return err
	})
	if errors.Is(d.err, errSkipped) {
		l.skip(ctx, d)
		return
	}
	l.holds.add(d)
	lanes.put(d)
}
