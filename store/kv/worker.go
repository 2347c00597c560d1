package kv

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/jet"
)

const (
	// workAtOnce are worked on at a time, and no more are taken: one that waited here could be given to
	// another replica, too, before it is begun. So many are held back, for a while, by a replica that hangs.
	workAtOnce = 64
	// workTimeout is what handling one may take.
	workTimeout = 8 * time.Second
	// workBeat is how often the server is told that one is still being handled: several times while its consumer
	// waits for an answer, so that this may be short, and what a dead replica had is soon given to another.
	workBeat = 500 * time.Millisecond
	// workRetry is the pause before one that could not be handled comes again; it doubles.
	workRetry, maxWorkRetry = time.Second, time.Minute
)

// WorkAckWait is how long the consumer of a Worker should wait for a word: so late is what a dead replica had in hand.
const WorkAckWait = 4 * workBeat

// Worker has the messages of a durable consumer that all replicas share handled by the fleet: each by one replica,
// at least once, also when none was running at the time. Several are handled at once and in any order; one for
// which Handle fails comes again.
type Worker struct {
	Stream  *Stream                                // of the messages
	Durable string                                 // its name in the stream's layout; empty: the first
	Handle  func(context.Context, *nats.Msg) error // it comes to no other replica meanwhile, unless this one hangs
	Skip    func(*nats.Msg) bool                   // what there is nothing to do for; nil: nothing. It costs no round trip
	Log     *slog.Logger                           // says by its attributes what is read
}

// Run works until ctx ends; then it returns nil. It returns ErrUnavailable when the connection was closed for good.
func (w Worker) Run(ctx context.Context) error {
	level := slog.LevelWarn
	jet.Supervise(ctx, w.Stream.JetStream().Conn(), func(ctx context.Context) bool {
		began := time.Now()
		if err := w.session(ctx); ctx.Err() == nil {
			w.Log.Log(ctx, level, "reading begins again", "stream", w.Stream.Name(), "error", err)
			level = slog.LevelDebug // the first of a row of failures says it all
		}
		if time.Since(began) <= workRetry {
			return false
		}
		level = slog.LevelWarn
		return true
	})
	if ctx.Err() == nil {
		return fmt.Errorf("%s: %w", w.Stream.Name(), ErrUnavailable)
	}
	return nil
}

func (w Worker) session(ctx context.Context) error {
	cons, err := w.Stream.Durable(ctx, w.Durable)
	if err != nil {
		return err
	}
	var work sync.WaitGroup
	defer work.Wait()
	bench := newBench()
	r := Reader(cons, workAtOnce)
	r.Explicit, r.Gate = true, bench
	return r.Run(ctx, w.Stream.JetStream(), func(m *nats.Msg) error {
		if w.Skip != nil && w.Skip(m) {
			return m.Ack()
		}
		bench.taken.Add(1)
		work.Go(func() {
			defer bench.leave()
			w.settle(ctx, m)
		})
		return nil
	})
}

// settle handles one message, and tells the server what became of it.
func (w Worker) settle(ctx context.Context, m *nats.Msg) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	err := w.working(m, func() error { return w.Handle(ctx, m) })
	if err == nil {
		// No answer is waited for: one whose acknowledgement is lost, with a connection or a leader, comes again, and
		// was handled then. To know at once would cost as much as another message.
		if err = m.Ack(); err != nil {
			w.Log.DebugContext(ctx, "handled but not acknowledged; it comes again", "subject", m.Subject, "error", err)
		}
		return
	}
	w.Log.WarnContext(ctx, "could not be handled; it comes again", "subject", m.Subject, "error", err)
	if err := m.NakWithDelay(workPause(m)); err != nil {
		w.Log.DebugContext(ctx, "it comes again when its time is up", "subject", m.Subject, "error", err)
	}
}

// working keeps a message from being given to another replica as long as handle is at work.
func (w Worker) working(m *nats.Msg, handle func() error) error {
	over := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() {
		tick := time.NewTicker(workBeat)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				_ = m.InProgress() // else it comes again
			}
		}
	})
	defer beats.Wait()
	defer close(over)
	return handle()
}

// workPause doubles with each delivery, with jitter.
func workPause(m *nats.Msg) time.Duration {
	d := workRetry
	if md, err := m.Metadata(); err == nil {
		d = min(workRetry<<min(md.NumDelivered-1, 10), maxWorkRetry)
	}
	return d/2 + rand.N(d)
}

// bench is the jet.Gate of a Worker: as many messages are asked for as there are places.
type bench struct {
	taken atomic.Int64
	freed jet.Wake
}

func newBench() *bench { return &bench{freed: jet.NewWake()} }

func (b *bench) leave() {
	b.taken.Add(-1)
	b.freed.Up()
}

// Room implements jet.Gate.
func (b *bench) Room() int { return workAtOnce - int(b.taken.Load()) }

// Freed implements jet.Gate.
func (b *bench) Freed() <-chan struct{} { return b.freed }
