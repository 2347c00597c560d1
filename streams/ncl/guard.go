package ncl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/guard"
)

// flushTimeout bounds how long the server may take to hear of a subscription when nothing else does.
// It is real time: the client library insists on it.
const flushTimeout = 10 * time.Second

// flush waits until the server has heard what was sent before.
func flush(ctx context.Context, nc *nats.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	return nc.FlushWithContext(ctx)
}

// ended is ctx's error; unlike ctx.Err, it waits for no fake clock.
func ended(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
		return nil
	}
}

// guarded calls a handler. That it panics, or ends its goroutine, is an error that no other try mends.
func guarded(handle func() error) error { return final("handler", guard.Apart(handle)) }

// encode is the codec's; a payload that panics fails for good.
func encode(c envelope.Codec, m *envelope.Message) (frame []byte, err error) {
	err = final("encoding", guard.Run(func() (err error) {
		frame, err = c.Encode(m)
		return err
	}))
	return frame, err
}

// decode is the codec's; a payload that panics fails for good.
func decode(c envelope.Codec, frame []byte) (m *envelope.Message, err error) {
	err = final("decoding", guard.Run(func() (err error) {
		m, err = c.Decode(frame)
		return err
	}))
	return m, err
}

func final(what string, err error) error {
	if p, is := errors.AsType[*guard.PanicError](err); is {
		return Permanent(fmt.Errorf("%s: %w\n%s", what, p, p.Stack))
	}
	return err
}
