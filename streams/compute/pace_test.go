package compute

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"

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
	away := fmt.Errorf("connect to NATS: %w", nats.ErrNoServers)
	later := fmt.Errorf("handshake: %w", &laterError{refused, 8 * time.Second})
	hidden := fmt.Errorf("connect to NATS: %w", &net.OpError{Op: "dial", Err: errors.New("no route")})
	for i, step := range []struct {
		connected bool
		lived     time.Duration
		err       error
		min, max  time.Duration
	}{
		{false, 0, refused, time.Minute, time.Minute},
		{false, 0, refused, 2 * time.Minute, 2 * time.Minute},
		{true, time.Second, refused, 0, 2 * time.Second},       // the first loss, though it was short
		{true, time.Second, refused, time.Minute, time.Minute}, // the second: what failed before it is of no account
		{false, 0, refused, 2 * time.Minute, 2 * time.Minute},
		{false, 0, refused, 3 * time.Minute, 3 * time.Minute},
		{false, 0, refused, 10 * time.Second, 10 * time.Second}, // the backoff has nothing more to say
		{true, 10 * time.Second, refused, 0, 2 * time.Second},   // proved itself: all begins anew
		{true, 9 * time.Second, refused, time.Minute, time.Minute},
		{true, time.Hour, refused, 0, 2 * time.Second},
		{false, 0, nobody, 15 * time.Second, 30 * time.Second}, // no replica: never long
		{false, 0, away, 15 * time.Second, 30 * time.Second},   // nor a server
		{false, 0, hidden, 15 * time.Second, 30 * time.Second},
		{false, 0, refused, time.Minute, time.Minute},               // there is one again: what came before is of no account
		{false, 0, later, 8 * time.Second, 9600 * time.Millisecond}, // when the scheduler says
		{false, 0, refused, 3 * time.Minute, 3 * time.Minute},
	} {
		if d := p.next(step.connected, step.lived, step.err); d < step.min || d > step.max {
			t.Errorf("step %d: %v, want %v to %v", i, d, step.min, step.max)
		}
	}
}
