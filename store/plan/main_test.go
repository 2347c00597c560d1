package plan

import (
	"log/slog"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// open is the plan of one replica.
func open(t testing.TB, s *natstest.Server) *Plan {
	t.Helper()
	streams, err := kv.Open(t.Context(), s.JetStream(t), kv.Config{Replicas: 1, Log: slog.New(slog.DiscardHandler)}, Layout)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := kv.ReadClock(t.Context(), streams[0])
	if err != nil {
		t.Fatal(err)
	}
	p := New(streams[0], clock, slog.New(slog.DiscardHandler))
	natstest.Run(t, p.Run)
	natstest.Receive(t, p.Loaded())
	return p
}
