package dispatcher

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/watcher"
)

// patience is how many looks without any progress make a stall.
const patience = 4

// course is one way along the ledger, from the last acknowledged event to the first failure. Its
// watcher sends; who called Dispatcher.course takes the outcomes, in order.
type course struct {
	*Dispatcher
	previous   uint64       // Sequence of the last message
	publishing atomic.Bool  // a message is being handed over
	sent       chan message // in order
	failed     chan error   // capacity 1: why nothing more is sent

	checkpoints, looks <-chan time.Time
	oldest             message // in flight, unless its future is nil
	progress           bool    // since the last look
	quiet              int     // looks without progress
}

// message is one that is in flight.
type message struct {
	sequence uint64
	future   ncl.PubFuture
}

// course sends until something fails, or ctx ends. Nothing of it runs when it returns.
func (d *Dispatcher) course(ctx context.Context, checkpoints, looks <-chan time.Time) error {
	last := d.State().LastAcknowledged
	c := &course{
		Dispatcher: d, previous: last, checkpoints: checkpoints, looks: looks,
		sent: make(chan message, ncl.DefaultMaxPending), failed: make(chan error, 1),
	}
	w, err := watcher.New(d.Name, d.Store, c, watcher.Config{
		Start: watcher.After(last), Clock: d.cfg.Clock, Logger: d.cfg.Logger,
	})
	if err != nil {
		return err
	}
	if err := w.Start(ctx); err != nil {
		return err
	}
	err = c.follow(ctx, w.Done())
	err = errors.Join(err, w.Stop(context.WithoutCancel(ctx))) // the publisher heeds its context
	c.sweep()
	return err
}

// follow takes the outcomes until something fails.
func (c *course) follow(ctx context.Context, ended <-chan struct{}) error {
	for ctx.Err() == nil {
		if c.next() {
			if err := c.await(ctx); err != nil {
				return err
			}
			continue
		}
		select { // nothing is in flight
		case c.oldest = <-c.sent:
			if err := c.await(ctx); err != nil {
				return err
			}
		case err := <-c.failed:
			return err
		case <-ended:
			return watcher.ErrClosed
		case <-ctx.Done():
		case <-c.checkpoints:
			c.save(ctx)
		case <-c.looks:
			if err := c.look(c.publishing.Load()); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// next turns to the oldest message that is in flight, if there is one.
func (c *course) next() bool {
	select {
	case c.oldest = <-c.sent:
		return true
	default:
		return false
	}
}

// await waits for the outcome of the oldest message.
func (c *course) await(ctx context.Context) error {
	if known(c.oldest.future) {
		return c.settle()
	}
	for {
		select {
		case <-c.oldest.future.Done():
			return c.settle()
		case <-ctx.Done():
			return ctx.Err()
		case <-c.checkpoints:
			c.save(ctx)
		case <-c.looks:
			if err := c.look(true); err != nil {
				return err
			}
		}
	}
}

func known(f ncl.PubFuture) bool {
	select {
	case <-f.Done():
		return true
	default:
		return false
	}
}

// settle takes the outcome of the oldest message.
func (c *course) settle() error {
	if err := c.oldest.future.Err(); err != nil {
		if hopeless(err) {
			c.refuse(c.oldest.sequence, err)
		}
		return err
	}
	c.acknowledged(c.oldest.sequence)
	c.metrics.acknowledged.Inc()
	c.oldest, c.progress = message{}, true
	return nil
}

// sweep takes the outcomes that are known when nothing is sent any more, so that they need not be sent
// again.
func (c *course) sweep() {
	for c.oldest.future != nil || c.next() {
		if !known(c.oldest.future) || c.settle() != nil {
			return
		}
	}
}

// look counts how often nothing has moved though something is under way. It fails with ErrStalled.
func (c *course) look(underWay bool) error {
	if c.progress || !underWay {
		c.progress, c.quiet = false, 0
		return nil
	}
	if c.quiet++; c.quiet > patience {
		return ErrStalled
	}
	return nil
}
