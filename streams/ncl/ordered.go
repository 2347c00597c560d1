package ncl

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"

	"oc-scheduler/jet"
	"oc-scheduler/streams/envelope"
)

// orderedPublisher is an OrderedPublisher. Outcomes come to an inbox of its own, the token of a
// message in the line being the last part of its reply subject.
type orderedPublisher struct {
	OrderedPublisherConfig
	nc    *nats.Conn
	inbox string        // ends with a dot
	line  *line         // what is in flight
	turn  chan struct{} // held while a message joins the line and is sent, so that both orders are one
	watch jet.Wake      // the oldest message is to be looked at in time
	stop  chan struct{}
	once  sync.Once
	done  chan struct{} // closed when run has ended
}

// NewOrderedPublisher opens an OrderedPublisher, to be closed by Close. A lost connection fails what
// is in flight at once: no outcome of it would come any more. It fails when the configuration is not
// valid or the connection is closed.
func NewOrderedPublisher(nc *nats.Conn, c OrderedPublisherConfig) (OrderedPublisher, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.setDefaults()
	p := &orderedPublisher{
		OrderedPublisherConfig: c,
		nc:                     nc,
		inbox:                  nc.NewInbox() + ".",
		line:                   newLine(c.MaxPending),
		turn:                   make(chan struct{}, 1),
		watch:                  jet.NewWake(),
		stop:                   make(chan struct{}),
		done:                   make(chan struct{}),
	}
	outcomes := make(chan *nats.Msg, 2*c.MaxPending) // some may be of before a reset
	sub, err := nc.ChanSubscribe(p.inbox+"*", outcomes)
	if err != nil {
		return nil, err
	}
	lost := nc.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	go func() {
		defer close(p.done)
		p.run(outcomes, lost)
		nc.RemoveStatusListener(lost)
		_ = sub.Unsubscribe() // it fails when the connection is gone, and the subscription with it
	}()
	return p, nil
}

// PublishAsync implements OrderedPublisher.
func (p *orderedPublisher) PublishAsync(ctx context.Context, r PublishRequest) (PubFuture, error) {
	generation := p.line.current()
	frame, err := p.encode(ctx, r)
	if err != nil {
		return nil, err
	}
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.turn }()
	token, f, err := p.join(ctx, generation)
	if err != nil {
		return nil, err
	}
	if err := p.nc.PublishRequest(r.Subject, p.inbox+strconv.FormatUint(token, 36), frame); err != nil {
		p.line.fail(token, err)
	}
	return f, nil
}

// encode fails for what could never be sent, lest it breaks the line.
func (p *orderedPublisher) encode(ctx context.Context, r PublishRequest) ([]byte, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	frame, err := encode(p.Codec, r.Message)
	if err != nil {
		return nil, err
	}
	if limit := p.nc.MaxPayload(); limit > 0 && int64(len(frame)) > limit {
		return nil, fmt.Errorf("%w: %d bytes, the server takes %d", envelope.ErrTooLarge, len(frame), limit)
	}
	return frame, nil
}

// join waits for room in the line.
func (p *orderedPublisher) join(ctx context.Context, generation uint64) (uint64, *future, error) {
	for {
		token, f, unwatched, err := p.line.join(generation, p.Clock.Now())
		if unwatched {
			p.watch.Up()
		}
		if !errors.Is(err, errFull) {
			return token, f, err
		}
		select {
		case <-p.line.freed:
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		}
	}
}

// Reset waits, until ctx ends, for a message that is being sent: it would else come among later ones.
func (p *orderedPublisher) Reset(ctx context.Context) {
	p.line.clear(ErrReset)
	select {
	case p.turn <- struct{}{}:
		<-p.turn
	case <-ctx.Done():
	}
	p.line.mend()
}

// Close implements OrderedPublisher.
func (p *orderedPublisher) Close(ctx context.Context) error {
	p.line.clear(ErrClosed)
	p.once.Do(func() { close(p.stop) })
	select {
	case <-p.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case p.turn <- struct{}{}:
		<-p.turn
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
