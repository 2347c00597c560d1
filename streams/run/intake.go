package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

const (
	// atOnce are worked on at a time, and no more are taken: one that waited here could be given to another
	// replica, too, before it is begun.
	atOnce = 64
	// within is what handling one may take: less than the consumers wait for an answer.
	within = 8 * time.Second
	// again is the pause before one that could not be handled comes again; it doubles.
	again, againAtMost = time.Second, time.Minute
)

// intake hands the messages of a consumer that all replicas share to a function: each to one of them, at least
// once, several at the same time and in any order. One for which it fails comes again.
type intake struct {
	of      *kv.Stream
	durable func(context.Context) (jetstream.Consumer, error)
	handle  func(context.Context, *nats.Msg) error
	log     *slog.Logger

	free  atomic.Int64
	freed chan struct{} // capacity 1
}

// run reads until ctx ends; then it returns nil. It returns kv.ErrUnavailable when the connection was closed for
// good.
func (i *intake) run(ctx context.Context) error {
	i.free.Store(atOnce)
	i.freed = make(chan struct{}, 1)
	level := slog.LevelWarn
	jet.Supervise(ctx, i.of.JetStream().Conn(), func(ctx context.Context) bool {
		began := time.Now()
		err := i.read(ctx)
		if ctx.Err() == nil {
			i.log.Log(ctx, level, "reading begins again", "error", err)
			level = slog.LevelDebug // the first of a row of failures says it all
		}
		if good := time.Since(began) > again; good {
			level = slog.LevelWarn
			return true
		}
		return false
	})
	if ctx.Err() == nil {
		return fmt.Errorf("%s: %w", i.of.Name(), kv.ErrUnavailable)
	}
	return nil
}

func (i *intake) read(ctx context.Context) error {
	cons, err := i.durable(ctx)
	if err != nil {
		return err
	}
	var work sync.WaitGroup
	defer work.Wait()
	r := kv.Reader(cons, atOnce)
	r.Explicit, r.Gate = true, i
	return r.Run(ctx, i.of.JetStream(), func(m *nats.Msg) error {
		i.free.Add(-1)
		work.Go(func() {
			defer i.leave()
			i.settle(ctx, m)
		})
		return nil
	})
}

func (i *intake) leave() {
	i.free.Add(1)
	select {
	case i.freed <- struct{}{}:
	default:
	}
}

// Room implements jet.Gate.
func (i *intake) Room() int { return int(i.free.Load()) }

// Freed implements jet.Gate.
func (i *intake) Freed() <-chan struct{} { return i.freed }

// settle handles one message. What nobody can use is not tried again.
func (i *intake) settle(ctx context.Context, m *nats.Msg) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := i.handle(ctx, m)
	switch {
	case err == nil, errors.Is(err, kv.ErrNotFound):
		err = m.Ack()
	case errors.Is(err, kv.ErrUndecodable):
		i.log.WarnContext(ctx, "what happened can't be brought to a run", "subject", m.Subject, "error", err)
		err = m.Ack()
	default:
		i.log.WarnContext(ctx, "what happened could not be brought to a run; it comes again", "subject", m.Subject, "error", err)
		err = m.NakWithDelay(pauseOf(m))
	}
	if err != nil {
		i.log.DebugContext(ctx, "it comes again when its time is up", "subject", m.Subject, "error", err)
	}
}

// pauseOf doubles with each delivery, with jitter.
func pauseOf(m *nats.Msg) time.Duration {
	d := again
	if md, err := m.Metadata(); err == nil {
		d = min(again<<min(md.NumDelivered-1, 10), againAtMost)
	}
	return d/2 + rand.N(d)
}
