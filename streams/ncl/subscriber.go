package ncl

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/jet"
)

// How a Subscriber reads.
const (
	batch      = 64
	batchBytes = 32 << 20 // four of the largest messages
	expiry     = 30 * time.Second
	heartbeat  = 2 * time.Second
	silence    = 7 * heartbeat / 2 // without a sign of life, the reading is over
)

// Subscriber reads what a consumer has for one receiver, in order and without gaps, until Close or
// until it is in doubt: a message is missing or was processed already, nothing is heard of the consumer, or the
// connection was lost. It is for one reading: the next, on a consumer made anew, takes another Subscriber.
//
// A handler sees the stream's sequence in the message's header. One that fails is tried again with the
// same message, and no other meanwhile; a message that it fails for in the end, or that can't be
// decoded, is logged and given up: one bad message does not stop all that come after it.
type Subscriber struct {
	SubscriberConfig
	gate *gate
	done chan struct{} // closed when nothing of it runs any more

	mu     sync.Mutex
	closed bool
	cancel context.CancelFunc // nil: has never subscribed
}

// NewSubscriber returns a Subscriber that reads nothing yet. It fails when the configuration is not valid.
func NewSubscriber(c SubscriberConfig) (*Subscriber, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.setDefaults()
	return &Subscriber{SubscriberConfig: c, gate: newGate(), done: make(chan struct{})}, nil
}

// Subscribe puts up the subscription, and returns when the server knows of it. Nothing is asked of
// the consumer, which need not be there, before Open. A connection that is lost from now on ends the
// reading. Subscribe fails when that, the end of ctx, or Close comes before it returns, and OnEnd is not
// called then; with ErrStarted, or with ErrClosed. Handlers have ctx's values.
func (s *Subscriber) Subscribe(ctx context.Context) error {
	reading, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if err := s.begin(cancel); err != nil {
		cancel()
		return err
	}
	nc := s.JetStream.Conn()
	lost := nc.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	ended, stands := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(s.done)
		defer cancel()
		err := s.read(reading, lost)
		nc.RemoveStatusListener(lost)
		ended <- err
		select {
		case <-stands:
			s.end(reading, err)
		case <-reading.Done():
		}
	}()
	if err := s.await(ctx, reading, ended); err != nil {
		cancel()
		<-s.done
		return err
	}
	close(stands)
	return nil
}

func (s *Subscriber) begin(cancel context.CancelFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.cancel != nil:
		return ErrStarted
	}
	s.cancel = cancel
	return nil
}

// await waits until the server knows of the subscription.
func (s *Subscriber) await(ctx, reading context.Context, ended <-chan error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(reading, cancel)()
	select {
	case <-s.gate.asked:
		return flush(ctx, s.JetStream.Conn())
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Open begins to read. The consumer must be there.
func (s *Subscriber) Open() { s.gate.open() }

// Close ends the reading and the contexts of handlers, and waits until nothing of it runs. Before Subscribe,
// it forbids that. It must not be called by a handler or OnEnd.
func (s *Subscriber) Close(ctx context.Context) error {
	s.mu.Lock()
	cancel := s.cancel
	s.closed = true
	s.mu.Unlock()
	if cancel == nil {
		return nil
	}
	cancel()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Subscriber) read(ctx context.Context, lost <-chan nats.Status) error {
	r := jet.Reader{
		Stream: s.Stream, Consumer: s.Consumer, Silence: silence,
		Request: jet.Request{Batch: batch, MaxBytes: batchBytes, Expires: expiry, Heartbeat: heartbeat},
		Gate:    s.gate,
		Lost:    lost,
	}
	o := &ordered{s.SubscriberConfig}
	return r.Run(ctx, s.JetStream, jet.Gapless(func(m *nats.Msg, md *nats.MsgMetadata) error {
		return o.receive(ctx, m, md.Sequence.Stream)
	}))
}

// end reports why the reading has ended, unless Close did it.
func (s *Subscriber) end(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	s.Logger.WarnContext(ctx, "reading ended", "error", err)
	s.OnEnd(err)
}
