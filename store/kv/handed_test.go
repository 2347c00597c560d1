package kv

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

// TestWhatWasHandedOutComesAgain unless it was acknowledged: also when something was removed meanwhile that was handed out
// after it.
func TestWhatWasHandedOutComesAgain(t *testing.T) {
	t.Parallel()
	streams, err := Open(t.Context(), natstest.Start(t).JetStream(t), Config{Replicas: 1, Log: slog.New(slog.DiscardHandler)}, Layout{
		Bucket: "jobs", Durables: []jetstream.ConsumerConfig{{
			Durable: "workers", FilterSubject: BucketSpace("jobs").Filter(), AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Second, MaxDeliver: -1, MaxAckPending: 100,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	keys := streams[0].Keys(BucketSpace("jobs"))
	for _, key := range []Key{"a", "b", "c", "d"} {
		if _, err := keys.Swap(t.Context(), key, 0, &Write{Data: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	workers, err := streams[0].Durable(t.Context(), "workers")
	if err != nil {
		t.Fatal(err)
	}
	out := fetch(t, workers, 4)
	if _, err := keys.Swap(t.Context(), "c", 3, Remove(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := out[3].DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	var again []string
	natstest.Eventually(t, "a and b come again", func() bool {
		for _, m := range fetch(t, workers, 4) {
			again = append(again, m.Subject())
		}
		return slices.Contains(again, "$KV.jobs.a") && slices.Contains(again, "$KV.jobs.b")
	})
}

// fetch fetches up to n messages.
func fetch(t *testing.T, from jetstream.Consumer, n int) (list []jetstream.Msg) {
	t.Helper()
	batch, err := from.Fetch(n, jetstream.FetchMaxWait(500*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	for m := range batch.Messages() {
		list = append(list, m)
	}
	return list
}
