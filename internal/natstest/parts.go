package natstest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// Run runs a part until the test ends, or stop is called, which waits for its end. The test fails when the
// part does not end, or with an error.
func Run(tb testing.TB, part func(context.Context) error) (stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ended := make(chan error, 1)
	go func() { ended <- part(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				tb.Errorf("a part ended with %v", err)
			}
		case <-time.After(patience):
			tb.Error("a part does not end")
		}
	})
	tb.Cleanup(stop)
	return stop
}

// Receive returns the next value of a channel; the test fails when none comes.
func Receive[T any](tb testing.TB, from <-chan T) T {
	tb.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		tb.Fatal("nothing came")
		panic("unreachable")
	}
}
