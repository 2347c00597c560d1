package events_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// counter is a handler that does nothing but count.
type counter struct {
	n    atomic.Int64
	want int64
	done chan struct{}
}

func (c *counter) count() error {
	if c.n.Add(1) == c.want {
		close(c.done)
	}
	return nil
}

func (c *counter) PlannerPublished(context.Context, events.Arrival, []byte) error { return c.count() }

func (c *counter) PlannerAsked(context.Context, events.Arrival, string) error { return nil }

func (c *counter) WorkflowCreated(context.Context, events.Arrival, []byte) error { return c.count() }

func (c *counter) WorkflowRemoved(context.Context, events.Arrival, string) error { return c.count() }

// BenchmarkListener reads a full bus of planners of about 2 KB (3.6 KB on the bus).
func BenchmarkListener(b *testing.B) {
	js, err := jetstream.New(natstest.Start(b).Connect(b), jetstream.WithPublishAsyncMaxPending(1000))
	if err != nil {
		b.Fatal(err)
	}
	bus, err := events.OpenBus(b.Context(), js, 1)
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		if _, err := js.PublishAsync(events.Propagation, benchEvent(i%2000)); err != nil {
			b.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
	c := &counter{want: int64(b.N), done: make(chan struct{})}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	b.ReportAllocs()
	b.ResetTimer()
	go func() { ended <- events.NewListener(bus, c, slog.New(slog.DiscardHandler), nil).Run(ctx) }()
	<-c.done
	b.StopTimer()
	cancel()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}

func benchEvent(peer int) []byte {
	planner := fmt.Sprintf(`{"peer_id":"peer-%d","pad":"%s"}`, peer, strings.Repeat("x", 1900))
	inner := fmt.Sprintf(`{"action":"PB_PLANNER","datatype":"","payload":"%s"}`, base64.StdEncoding.EncodeToString([]byte(planner)))
	return fmt.Appendf(nil, `{"from_app":"oc-discovery","datatype":"","user":"","groups":[],"method":"","payload":"%s"}`, base64.StdEncoding.EncodeToString([]byte(inner)))
}

func BenchmarkDecodeEnvelope(b *testing.B) {
	data := benchEvent(1)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		e, err := events.DecodeEnvelope(data)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := events.DecodePropagated(e.Payload); err != nil {
			b.Fatal(err)
		}
	}
}
