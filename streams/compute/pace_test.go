package compute

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/ncl"
)

// stepwise is a backoff of 1 min, 2 min, … that ends after three.
type stepwise struct{ n int }

func (s *stepwise) Reset() { s.n = 0 }

func (s *stepwise) NextBackOff() time.Duration {
	if s.n++; s.n > 3 {
		return backoff.Stop
	}
	return time.Duration(s.n) * time.Minute
}

func TestPace(t *testing.T) {
	t.Parallel()
	p := newPace(Config{ReconnectInterval: 10 * time.Second, ReconnectBackoff: &stepwise{}})
	refused, nobody := &ncl.RefusedError{Reason: "full"}, fmt.Errorf("handshake: %w", ncl.ErrNoResponders)
	for i, step := range []struct {
		connected bool
		lived     time.Duration
		err       error
		min, max  time.Duration
	}{
		{false, 0, refused, time.Minute, time.Minute},
		{false, 0, refused, 2 * time.Minute, 2 * time.Minute},
		{true, time.Second, refused, 0, 2 * time.Second}, // the first loss, though it was short
		{true, time.Second, refused, 3 * time.Minute, 3 * time.Minute},
		{false, 0, refused, 10 * time.Second, 10 * time.Second}, // the backoff has nothing more to say
		{true, 10 * time.Second, refused, 0, 2 * time.Second},   // proved itself: all begins anew
		{true, 9 * time.Second, refused, time.Minute, time.Minute},
		{true, time.Hour, refused, 0, 2 * time.Second},
		{false, 0, nobody, 15 * time.Second, 30 * time.Second}, // no replica: never long
		{false, 0, nobody, 15 * time.Second, 30 * time.Second},
		{false, 0, refused, time.Minute, time.Minute}, // there is one again: what came before is of no account
		{false, 0, refused, 2 * time.Minute, 2 * time.Minute},
	} {
		if d := p.next(step.connected, step.lived, step.err); d < step.min || d > step.max {
			t.Errorf("step %d: %v, want %v to %v", i, d, step.min, step.max)
		}
	}
}

func TestTimeoutByClock(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	ctx, cancel := withTimeout(t.Context(), clock, time.Minute)
	defer cancel()
	if err := ctx.Err(); err != nil {
		t.Fatal(err)
	}
	if d, ok := ctx.Deadline(); !ok || !d.Equal(clock.Now().Add(time.Minute)) {
		t.Errorf("deadline %v", d)
	}
	clock.Advance(time.Minute)
	<-ctx.Done()
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after its time: %v", err)
	}

	parent, end := context.WithCancel(t.Context())
	ctx, cancel = withTimeout(parent, clock, time.Minute)
	defer cancel()
	end()
	<-ctx.Done()
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("after its parent: %v", err)
	}

	sooner, end := context.WithTimeout(t.Context(), time.Hour)
	defer end()
	clock.Advance(time.Until(time.Now().AddDate(100, 0, 0)))
	ctx, cancel = withTimeout(sooner, clock, 24*365*100*time.Hour)
	defer cancel()
	want, _ := sooner.Deadline()
	if d, _ := ctx.Deadline(); !d.Equal(want) {
		t.Errorf("deadline %v, the parent's is %v", d, want)
	}
}
