package ncl

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/deadline"
)

// Responder answers requests, as one of a queue group or alone. It is never silent: a request that it
// can't serve is refused with a reason, be it damaged, of an unknown version or type, too many, or one
// that its handler fails or panics at.
type Responder struct {
	ResponderConfig
	admitted chan struct{} // one for each request at hand
	slots    chan struct{} // one for each that is being handled
	pending  atomic.Int64  // bytes of the requests at hand
	work     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	sub    *nats.Subscription // nil: has never listened
	cancel context.CancelFunc // of what is being handled
	ended  chan struct{}      // closed when nothing comes any more and all is answered
}

// NewResponder returns a Responder that does not listen yet. It fails when the configuration is not valid.
func NewResponder(c ResponderConfig) (*Responder, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.setDefaults()
	return &Responder{
		ResponderConfig: c,
		admitted:        make(chan struct{}, c.MaxConcurrent+c.MaxWaiting),
		slots:           make(chan struct{}, c.MaxConcurrent),
	}, nil
}

// Listen begins to answer; Close ends it. It returns when the server knows, and fails when ctx ends before,
// with ErrStarted, or with ErrClosed. Handlers have ctx's values.
func (r *Responder) Listen(ctx context.Context) error {
	if err := r.subscribe(ctx); err != nil {
		return err
	}
	if err := flush(ctx, r.Conn); err != nil {
		return errors.Join(err, r.Close(ctx))
	}
	return nil
}

func (r *Responder) subscribe(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return ErrClosed
	case r.sub != nil:
		return ErrStarted
	}
	handling, cancel := context.WithCancel(context.WithoutCancel(ctx))
	sub, err := r.Conn.QueueSubscribe(r.Subject, r.Queue, func(m *nats.Msg) { r.admit(handling, m) })
	if err != nil {
		cancel()
		return err
	}
	gone := make(chan struct{})
	leave := sync.OnceFunc(func() { close(gone) })
	sub.SetClosedHandler(func(string) { leave() })
	if !sub.IsValid() {
		leave() // the connection was closed before the handler was set
	}
	r.sub, r.cancel, r.ended = sub, cancel, make(chan struct{})
	go func() {
		defer close(r.ended)
		<-gone
		r.work.Wait()
		cancel()
	}()
	return nil
}

// Close leaves the queue group, answers what has come, and waits for that. Before Listen, it forbids that. When ctx ends before, it
// fails with ctx's error: then the contexts of handlers end too.
func (r *Responder) Close(ctx context.Context) error {
	r.mu.Lock()
	sub := r.sub
	r.closed = true
	r.mu.Unlock()
	if sub == nil {
		return nil
	}
	if !r.Conn.IsConnected() || sub.Drain() != nil {
		_ = sub.Unsubscribe() // it fails when the connection is gone, and the subscription with it
	}
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		_ = sub.Unsubscribe()
		r.cancel()
		return ctx.Err()
	}
}

// admit lets a request in, unless too many are, or it is too large beside them. One that is no larger than its
// share is never too large: those must not be held up by others.
func (r *Responder) admit(ctx context.Context, m *nats.Msg) {
	size, share := int64(len(m.Data)), r.MaxBytes/int64(cap(r.admitted))
	if others := r.pending.Load(); size > share && others > 0 && others+size > r.MaxBytes { // only this goroutine adds
		r.refuse(ctx, m, "busy")
		return
	}
	select {
	case r.admitted <- struct{}{}:
	default:
		r.refuse(ctx, m, "busy")
		return
	}
	r.pending.Add(size)
	ctx, cancel := deadline.WithTimeout(ctx, r.Clock, r.Timeout)
	r.work.Go(func() {
		defer func() { r.pending.Add(-size); <-r.admitted }()
		defer cancel()
		r.serve(ctx, m)
	})
}
