package dispatcher

import (
	"context"
	"errors"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/watcher"
)

// HandleEvent sends an event. When that fails it waits for the end of the course: nothing may be sent
// after a message that was not.
func (c *course) HandleEvent(ctx context.Context, e watcher.Event) error {
	fresh := c.notice(ctx, e)
	if refused, err := c.refusal(e.SeqNum); refused {
		if err != nil {
			c.leaveOut(ctx, e, err)
		}
		return ctx.Err()
	}
	m, err := c.message(e)
	if err == nil && m != nil {
		err = c.send(ctx, m)
	}
	if err != nil && fresh {
		c.leaveOut(ctx, e, err)
	}
	return ctx.Err()
}

// message makes a message of an event; nil when there is nothing to send. A creator that panics fails.
func (c *course) message(e watcher.Event) (*envelope.Message, error) {
	var created *envelope.Message
	err := guard.Apart(func() (err error) {
		created, err = c.Creator.CreateMessage(e)
		return err
	})
	if err != nil || created == nil {
		return nil, err
	}
	m := *created
	m.Source, m.Sequence, m.Previous, m.Time = c.ledger, e.SeqNum, c.previous, c.cfg.Clock.Now().UTC()
	return &m, nil
}

// send puts a message in flight. It fails for one that can't be sent, however often it is tried. After
// any other failure nothing may be sent in this course: it waits for its end.
func (c *course) send(ctx context.Context, m *envelope.Message) error {
	c.publishing.Store(true)
	future, err := c.Publisher.PublishAsync(ctx, ncl.PublishRequest{Subject: c.Subject, Message: m})
	c.publishing.Store(false)
	switch {
	case err == nil:
		c.previous = m.Sequence
		c.dispatched(m.Sequence)
		c.queue(ctx, message{m.Sequence, future})
		return nil
	case hopeless(err):
		return err
	}
	c.failed <- err
	<-ctx.Done()
	return nil
}

func (c *course) queue(ctx context.Context, m message) {
	select {
	case c.sent <- m:
	case <-ctx.Done():
	}
}

// notice says whether an event is seen for the first time. It counts those that the ledger has
// forgotten before this one, which were never sent.
func (c *course) notice(ctx context.Context, e watcher.Event) bool {
	if e.SeqNum <= c.seen {
		return false
	}
	if missing := e.SeqNum - c.seen - 1; missing > 0 {
		c.update(func(s *State) { s.Missing += missing })
		c.metrics.missing.Add(float64(missing))
		c.log.ErrorContext(ctx, "events were forgotten before they were sent", "first", c.seen+1, "last", e.SeqNum-1)
	}
	c.seen = e.SeqNum
	return true
}

func (c *course) leaveOut(ctx context.Context, e watcher.Event, err error) {
	c.update(func(s *State) { s.LeftOut++ })
	c.metrics.leftOut.Inc()
	c.log.ErrorContext(ctx, "event is left out: no message can be made of it",
		"sequence", e.SeqNum, "object_type", e.ObjectType, "error", err)
}

// hopeless says whether a message can't be sent however often it is tried. One that comes behind
// another that can't be sent is not.
func hopeless(err error) bool {
	if errors.Is(err, ncl.ErrBroken) {
		return false
	}
	_, unknown := errors.AsType[*envelope.TypeError](err)
	return unknown || errors.Is(err, envelope.ErrPayload) || errors.Is(err, envelope.ErrTooLarge) || ncl.IsPermanent(err)
}
