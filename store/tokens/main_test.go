package tokens_test

import (
	"log/slog"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/tokens"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// open is the bucket, as a replica of its own has it, with its view loaded.
func open(t *testing.T, s *natstest.Server) *tokens.Tokens {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	streams, err := kv.Open(t.Context(), s.JetStream(t), kv.Config{Replicas: 1, Log: log}, tokens.Layout)
	if err != nil {
		t.Fatal(err)
	}
	of := tokens.New(streams[0].Keys(kv.BucketSpace(tokens.Bucket)))
	natstest.Run(t, of.View().Run)
	natstest.Receive(t, of.View().Loaded())
	return of
}
