package plan

import (
	"log/slog"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// open is the plan of one replica.
func open(t testing.TB, s *natstest.Server) *Plan {
	t.Helper()
	return openOn(t, s.Connect(t), 1)
}

func openOn(t testing.TB, nc *nats.Conn, replicas int) *Plan {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	var streams []*kv.Stream
	natstest.Eventually(t, "the bucket is there", func() bool {
		streams, err = kv.Open(t.Context(), js, kv.Config{Replicas: replicas, Log: slog.New(slog.DiscardHandler)}, Layout)
		return err == nil
	})
	clock, err := kv.ReadClock(t.Context(), streams[0])
	if err != nil {
		t.Fatal(err)
	}
	p := New(streams[0], clock, slog.New(slog.DiscardHandler))
	natstest.Run(t, p.Run)
	natstest.Receive(t, p.Loaded())
	return p
}
