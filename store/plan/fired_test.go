package plan

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// TestWhatTakesLongIsHandledOnce: a timer is given to another replica when the first one is dead, not when it takes
// longer than the dead are waited for.
func TestWhatTakesLongIsHandledOnce(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	var begun atomic.Int32
	done := make(chan struct{})
	for range 2 {
		p := open(t, server)
		natstest.Run(t, func(ctx context.Context) error {
			return p.OnDue(ctx, func(ctx context.Context, _ string, _ uint64) error {
				if begun.Add(1) > 1 {
					return nil
				}
				defer close(done)
				return kv.Sleep(ctx, 2*kv.WorkAckWait)
			})
		})
	}
	p := open(t, server)
	if _, err := p.due.Swap(t.Context(), "s-1", 0, Timer("s-1", p.Now())); err != nil {
		t.Fatal(err)
	}
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it is not handled")
	}
	if n := begun.Load(); n != 1 {
		t.Errorf("it was handled %d times", n)
	}
}

// TestATimerIsHandledInTime: not before it, however soon it fires.
func TestATimerIsHandledInTime(t *testing.T) {
	t.Parallel()
	p := open(t, natstest.Start(t))
	handled := make(chan time.Time, 1)
	natstest.Run(t, func(ctx context.Context) error {
		return p.OnDue(ctx, func(context.Context, string, uint64) error {
			handled <- p.Now()
			return nil
		})
	})
	at := p.Now().Add(Ahead / 2) // it has fired by then
	if _, err := p.due.Swap(t.Context(), "s-1", 0, Timer("s-1", at)); err != nil {
		t.Fatal(err)
	}
	if got := natstest.Receive(t, handled); got.Before(at) {
		t.Errorf("handled %v before its time", at.Sub(got))
	}
}
