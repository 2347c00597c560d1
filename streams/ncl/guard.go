package ncl

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/nats-io/nats.go"
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

// guard makes an error of a panic of a handler: one that no other try mends.
func guard(handle func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Permanent(fmt.Errorf("handler panicked: %v\n%s", r, debug.Stack()))
		}
	}()
	return handle()
}
