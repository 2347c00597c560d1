package natstest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// awaitPlaces waits until the meta leader places streams on all servers. It calls the cluster healthy
// a moment before it has heard from each of them what it can store, which no page of monitoring
// shows: the stream of a test would find "no suitable peers".
func (c *Cluster) awaitPlaces(tb testing.TB) {
	tb.Helper()
	js, err := jetstream.New(c.Connect(tb))
	if err != nil {
		tb.Fatalf("natstest: %v", err)
	}
	probe := jetstream.StreamConfig{Name: "natstest", Replicas: len(c.Servers), Storage: jetstream.MemoryStorage}
	Eventually(tb, "streams find places", succeeds(tb, func(ctx context.Context) error {
		_, err := js.CreateStream(ctx, probe)
		return err
	}))
	Eventually(tb, "the probe is gone", succeeds(tb, func(ctx context.Context) error {
		if err := js.DeleteStream(ctx, probe.Name); !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
		return nil
	}))
}

// succeeds tries something within a second.
func succeeds(tb testing.TB, do func(context.Context) error) func() bool {
	return func() bool {
		ctx, cancel := context.WithTimeout(tb.Context(), time.Second)
		defer cancel()
		return do(ctx) == nil
	}
}
