package logstream

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"

	"oc-scheduler/jet"
	"oc-scheduler/streams/envelope"
)

// window is how much a reader lets be under way or unread, as cost counts; at least one chunk fits
// into a quarter of it, so that the node is never stuck for credit that is not worth a message.
const window = 512 << 10

// maxTries is how often in a row a stream is asked for anew.
const maxTries = 8

// remote reads the output that a node has. One goroutine receives; it is never held up by who reads.
type remote struct {
	Client
	codec   envelope.Codec
	node    string
	request Request // what is still to come

	chunks chan Chunk    // has room for all that window allows
	taken  atomic.Uint64 // cost of what was read
	wake   jet.Wake      // credit may be given

	cancel context.CancelCauseFunc
	opened chan struct{} // closed when the node has begun to answer
	done   chan struct{} // closed when nothing runs any more
	err    error         // why, once done is closed

	// of the goroutine
	lost     <-chan nats.Status
	received uint64    // cost of what was put into chunks
	goneAt   time.Time // when the node counts as gone, unless it is heard before
	began    bool      // opened is closed
}

func newRemote(c Client, codec envelope.Codec, node string, r Request) *remote {
	return &remote{
		Client: c, codec: codec, node: node, request: r,
		chunks: make(chan Chunk, window/overhead),
		wake:   jet.NewWake(),
		opened: make(chan struct{}), done: make(chan struct{}),
		goneAt: c.Clock.Now().Add(c.AnswerWithin),
	}
}

func (r *remote) start(ctx context.Context) {
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r.cancel = cancel
	status := r.Conn.StatusChanged()
	r.lost = status
	go func() {
		defer close(r.done)
		defer r.Conn.RemoveStatusListener(status)
		r.err = r.run(life)
		close(r.chunks)
	}()
}

// Next waits for the next chunk.
func (r *remote) Next(ctx context.Context) (Chunk, error) {
	select {
	case c, more := <-r.chunks:
		if !more {
			<-r.done
			return Chunk{}, r.err
		}
		r.taken.Add(cost(c))
		r.wake.Up()
		return c, nil
	case <-ctx.Done():
		return Chunk{}, ctx.Err()
	}
}

// Close tells the node, and waits until nothing runs any more.
func (r *remote) Close() error {
	r.cancel(ErrClosed)
	<-r.done
	return nil
}

// run reads one stream after the other. It never returns nil.
func (r *remote) run(ctx context.Context) error {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: 100 * time.Millisecond, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: 2 * time.Second,
	}
	pause.Reset()
	for tries := 1; ; tries++ {
		began, offset := r.Clock.Now(), r.request.Offset
		err := r.read(ctx)
		broken, resumable := errors.AsType[brokenError](err)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !resumable:
			return err
		case r.request.Offset > offset || r.Clock.Since(began) > r.Silence:
			tries = 1
			pause.Reset()
		case tries >= maxTries:
			return fmt.Errorf("%w: %s", ErrLost, broken.reason)
		}
		r.Logger.DebugContext(ctx, "a log stream is asked for anew", "node", r.node, "reason", broken.reason)
		offline := broken == errOffline || !r.Conn.IsConnected()
		if err := r.rest(ctx, pause.NextBackOff()); err != nil {
			return err
		}
		if offline && r.began {
			r.goneAt = r.Clock.Now().Add(r.Outage) // the node may have lost its connection, too
		}
	}
}

// rest waits before the next try, and for the connection.
func (r *remote) rest(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-r.Clock.After(pause):
	}
	outage := r.Outage
	if !r.began {
		outage = r.AnswerWithin
	}
	late := r.Clock.After(outage)
	for !r.Conn.IsConnected() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late:
			return fmt.Errorf("%w: no connection to NATS", ErrLost)
		case <-r.lost:
			if r.Conn.IsClosed() {
				return fmt.Errorf("%w: %w", ErrLost, nats.ErrConnectionClosed)
			}
		}
	}
	return nil
}
