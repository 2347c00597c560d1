package watcher

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/streams/guard"
)

// faultPause is how long a Watcher rests when something that it called has panicked.
const faultPause = time.Second

// course is one run of a Watcher.
type course struct {
	*Watcher
	position uint64
	saved    uint64 // the position that the store has
	unread   bool   // the store failed the last time
	tick     <-chan time.Time
}

func (w *Watcher) run(ctx context.Context, position uint64) {
	c := &course{Watcher: w, position: position, saved: position}
	if w.cfg.CheckpointInterval > 0 {
		ticker := w.cfg.Clock.NewTicker(w.cfg.CheckpointInterval)
		defer ticker.Stop()
		c.tick = ticker.Chan()
	}
	for c.steps(ctx) {
	}
	c.saveLast(ctx)
	w.update(func(s *Stats) { s.Running = false })
	close(w.done)
}

// steps goes on until the Watcher is stopped. It says whether to begin again: something that it called
// did not return, which is a failure as any other.
func (c *course) steps(ctx context.Context) bool {
	err := guard.Apart(func() error {
		for c.step(ctx) {
		}
		return nil
	})
	if err == nil {
		return false
	}
	c.unread = true
	c.failed(err)
	c.log.ErrorContext(ctx, "watching begins again", "position", c.position, "error", err)
	c.rest(ctx, faultPause)
	return ctx.Err() == nil
}

// step reads and handles a page, or waits for one. It says whether to go on.
func (c *course) step(ctx context.Context) bool {
	changed := c.store.Changed() // before reading, so that nothing is missed in between
	events, err := c.store.GetEvents(ctx, GetEventsRequest{AfterSeqNum: c.position, Limit: c.cfg.PageSize})
	switch {
	case ctx.Err() != nil || errors.Is(err, ErrClosed):
		return false
	case err != nil:
		c.unread = true
		c.failed(err)
		c.log.WarnContext(ctx, "events can't be read", "position", c.position, "error", err)
		c.pause(ctx)
		return ctx.Err() == nil
	case c.unread:
		c.unread = false
		c.cfg.Backoff.Reset()
		c.update(func(s *Stats) { s.LastError = nil })
	}
	if len(events) == 0 {
		c.wait(ctx, changed)
	}
	c.take(ctx, events)
	return ctx.Err() == nil
}

// take handles the events of a page until it ends or something else comes first.
func (c *course) take(ctx context.Context, events []Event) {
	for _, e := range events {
		if c.turned(ctx) || !c.settle(ctx, e) {
			return
		}
		c.position = e.SeqNum
		c.update(func(s *Stats) { s.Position = e.SeqNum })
	}
}

// turned does, without waiting, what is to be done between two events. It says whether the events at
// hand are no longer the next ones.
func (c *course) turned(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case seqNum := <-c.seeks:
		c.seek(seqNum)
		return true
	case <-c.tick:
		c.save(ctx)
	default:
	}
	return false
}

// wait waits for the channel, or for anything that comes first. It says whether the Watcher still
// stands where it stood.
func (c *course) wait(ctx context.Context, wake <-chan struct{}) bool {
	for {
		select {
		case <-wake:
			return true
		case <-ctx.Done():
			return false
		case seqNum := <-c.seeks:
			c.seek(seqNum)
			return false
		case <-c.tick:
			c.save(ctx)
		}
	}
}

// pause waits for the backoff as wait does.
func (c *course) pause(ctx context.Context) bool { return c.rest(ctx, c.cfg.Backoff.NextBackOff()) }

func (c *course) rest(ctx context.Context, d time.Duration) bool {
	over := make(chan struct{})
	timer := c.cfg.Clock.AfterFunc(max(d, 0), func() { close(over) })
	defer timer.Stop()
	return c.wait(ctx, over)
}

func (c *course) seek(seqNum uint64) {
	c.position = seqNum
	c.cfg.Backoff.Reset()
	c.update(func(s *Stats) { s.Position = seqNum })
}

func (c *course) save(ctx context.Context) {
	if c.position == c.saved {
		return
	}
	if err := c.store.StoreCheckpoint(ctx, c.id, c.position); err != nil {
		c.log.WarnContext(ctx, "checkpoint is not stored", "position", c.position, "error", err)
		return
	}
	c.saved = c.position
}

// saveLast keeps the position of a Watcher that was stopped.
func (c *course) saveLast(ctx context.Context) {
	if c.tick == nil {
		return
	}
	err := guard.Apart(func() error {
		c.save(context.WithoutCancel(ctx))
		return nil
	})
	if err != nil {
		c.log.ErrorContext(ctx, "checkpoint is not stored", "position", c.position, "error", err)
	}
}
