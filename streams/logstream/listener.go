package logstream

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
)

// backlog is how many messages of readers may wait. Readers repeat what is dropped.
const backlog = 1024

var (
	errStopping   = errors.New("the node ends its connection")
	errReaderGone = errors.New("the reader has gone")
	errPanicked   = errors.New("the server of logs panicked")
	errUnsent     = errors.New("output was not sent") // the connection is away; the reader may ask anew
)

// Listener is a node's side of log streams: it hands the output that its Server has to readers that
// ask for it over NATS. A slow reader holds up its own stream only; one that has gone is given up.
type Listener struct {
	cfg   ListenerConfig
	codec envelope.Codec

	requests chan *nats.Msg
	ended    chan *stream // has room for all streams
	streams  map[string]*stream

	work sync.WaitGroup // of streams

	mu      sync.Mutex
	stopped bool
	stop    context.CancelCauseFunc // nil unless started
	sub     *nats.Subscription
	done    chan struct{} // closed when nothing runs any more
}

// NewListener makes a listener that does nothing until Start. It fails as ListenerConfig.Validate does.
func NewListener(cfg ListenerConfig) (*Listener, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("log listener: %w", err)
	}
	cfg.setDefaults()
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	cfg.Logger = cfg.Logger.With("component", "logstream", "node", cfg.NodeID)
	return &Listener{
		cfg: cfg, codec: codec,
		requests: make(chan *nats.Msg, backlog),
		ended:    make(chan *stream, cfg.MaxStreams),
		streams:  map[string]*stream{},
	}, nil
}

// Start begins to serve readers, until Stop. It fails when the connection is closed, with ErrStarted, or with
// ErrClosed. Values of ctx are handed to the server.
func (l *Listener) Start(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.stopped:
		return ErrClosed
	case l.stop != nil:
		return ErrStarted
	}
	sub, err := l.cfg.Conn.ChanSubscribe(nclprotocol.LogSubject(l.cfg.NodeID), l.requests)
	if err != nil {
		return fmt.Errorf("listen for readers of logs: %w", err)
	}
	life, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	done := make(chan struct{})
	l.stop, l.sub, l.done = stop, sub, done
	go func() {
		defer close(done)
		l.listen(life)
		l.work.Wait()
	}()
	return nil
}

// Stop ends all streams, telling their readers, and waits until nothing runs any more. It fails with
// ctx's error when that takes too long. It may be called again, and before Start, which it forbids.
func (l *Listener) Stop(ctx context.Context) error {
	l.mu.Lock()
	stop, sub, done := l.stop, l.sub, l.done
	l.stopped = true
	l.mu.Unlock()
	if stop == nil {
		return nil
	}
	_ = sub.Unsubscribe() // it fails when the connection is gone, and the subscription with it
	stop(errStopping)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("log listener: %w", ctx.Err())
	}
}

// listen owns the set of streams.
func (l *Listener) listen(ctx context.Context) {
	tick := l.cfg.Clock.NewTicker(l.cfg.KeepAlive)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-l.requests:
			l.receive(ctx, m)
		case s := <-l.ended:
			delete(l.streams, s.name)
		case <-tick.Chan():
			l.look()
		}
	}
}

// look tells readers that the node lives, and gives up those that don't.
func (l *Listener) look() {
	for _, s := range l.streams {
		if l.cfg.Clock.Since(s.heard) >= l.cfg.ReaderGone {
			s.stop(errReaderGone)
		} else if s.opened.Load() {
			s.live()
		}
	}
}
