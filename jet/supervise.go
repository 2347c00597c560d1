package jet

import (
	"context"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
)

// Supervise runs session again and again until ctx ends. The context of a session ends when the
// connection is lost; the next one begins as soon as the connection is back. Sessions that fail while
// the connection stands begin at growing intervals with jitter, small ones after a session that was
// good. It returns when ctx has ended, or the connection was closed for good, and the last session has
// returned.
func Supervise(ctx context.Context, nc *nats.Conn, session func(ctx context.Context) (good bool)) {
	status := nc.StatusChanged()
	defer nc.RemoveStatusListener(status)
	interval := &backoff.ExponentialBackOff{
		InitialInterval: 50 * time.Millisecond, MaxInterval: 500 * time.Millisecond, Multiplier: 2, RandomizationFactor: 0.5,
	}
	for ctx.Err() == nil && !nc.IsClosed() {
		if !nc.IsConnected() {
			interval.Reset()
			awaitChange(ctx, status)
			continue
		}
		began := time.Now()
		if whileConnected(ctx, nc, status, session) {
			interval.Reset()
		}
		if ctx.Err() == nil && nc.IsConnected() {
			awaitPause(ctx, status, interval.NextBackOff()-time.Since(began))
		}
	}
}

// whileConnected runs one session, on a context that ends with ctx or with the connection: also
// when that is already back, for what was under way on it may be lost.
func whileConnected(ctx context.Context, nc *nats.Conn, status <-chan nats.Status, session func(context.Context) bool) bool {
	ctx, cancel := context.WithCancel(ctx)
	reconnects := nc.Stats().Reconnects
	var watch sync.WaitGroup
	watch.Go(func() {
		defer cancel()
		for ctx.Err() == nil && nc.IsConnected() && nc.Stats().Reconnects == reconnects {
			awaitChange(ctx, status)
		}
	})
	good := session(ctx)
	cancel()
	watch.Wait()
	return good
}

// awaitChange waits for the connection's next change of status. Each change is only a hint: the
// listener drops what it has no room for, so the wait is bounded.
func awaitChange(ctx context.Context, status <-chan nats.Status) {
	awaitPause(ctx, status, 250*time.Millisecond)
}

func awaitPause(ctx context.Context, status <-chan nats.Status, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-status:
	case <-t.C:
	}
}
