package ncl

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"
)

// flushTimeout bounds how long the server may take to hear of a subscription when nothing else does.
const flushTimeout = 10 * time.Second

// flush waits until the server has heard what was sent before.
func flush(ctx context.Context, nc *nats.Conn, clock clockwork.Clock) error {
	if _, bounded := ctx.Deadline(); !bounded { // which the client library insists on
		var cancel context.CancelFunc
		ctx, cancel = clockwork.WithTimeout(ctx, clock, flushTimeout)
		defer cancel()
	}
	return nc.FlushWithContext(ctx)
}

// guard makes an error of a panic of a handler.
func guard(handle func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("handler panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return handle()
}
