package peer

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
)

// factory is a ClientFactory of the test's own.
type factory func(ctx context.Context) (*nats.Conn, error)

func (f factory) CreateClient(ctx context.Context) (*nats.Conn, error) { return f(ctx) }

// TestTheBusIsHeardBeforeTheSchedulerIsMet: a peer that connects is asked for its planner at once.
func TestTheBusIsHeardBeforeTheSchedulerIsMet(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	bus := server.Connect(t, nats.ReconnectWait(300*time.Millisecond))
	heard := make(chan *nats.Msg, 1)
	if _, err := bus.ChanSubscribe("bus", heard); err != nil {
		t.Fatal(err)
	}
	ask := func(context.Context) (*nats.Conn, error) {
		nc := server.Connect(t)
		if err := nc.Publish("bus", nil); err != nil {
			return nil, err
		}
		return nc, nc.Flush()
	}
	server.Stop()
	natstest.Eventually(t, "the bus is lost", func() bool { return !bus.IsConnected() })
	server.Restart(t)
	if _, err := (hearing{factory(ask), bus}).CreateClient(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-heard:
	case <-time.After(20 * time.Second):
		t.Error("what was asked when the session began was not heard")
	}
}

// TestANodeThatCannotHearTheBusConnects: it still runs what it is ordered to.
func TestANodeThatCannotHearTheBusConnects(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	bus := server.Connect(t)
	server.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	asked := false
	ask := func(context.Context) (*nats.Conn, error) { asked = true; return nil, nil }
	if _, err := (hearing{factory(ask), bus}).CreateClient(ctx); err != nil || !asked {
		t.Errorf("asked: %v, %v", asked, err)
	}
}
