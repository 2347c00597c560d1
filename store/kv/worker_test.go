package kv

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

// jobs is a bucket whose keys are handled by workers; what they do not answer comes again after so long.
func jobs(t *testing.T, nc *nats.Conn, wait time.Duration) *Stream {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	streams, err := Open(t.Context(), js, Config{Replicas: 1, Log: slog.New(slog.DiscardHandler)}, Layout{
		Bucket: "jobs", Durables: []jetstream.ConsumerConfig{{
			Durable: "workers", FilterSubject: BucketSpace("jobs").Filter(), AckPolicy: jetstream.AckExplicitPolicy, AckWait: wait, MaxDeliver: -1, MaxAckPending: 10,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return streams[0]
}

// handled counts how often each message is handled.
type handled struct {
	mu sync.Mutex
	of map[string]int
}

func (h *handled) worker(s *Stream) Worker {
	return Worker{Stream: s, Log: slog.New(slog.DiscardHandler), Handle: func(_ context.Context, m *nats.Msg) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.of[m.Subject]++
		return nil
	}}
}

func (h *handled) all() (different, times int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.of {
		times += n
	}
	return len(h.of), times
}

// standsAt is how the workers' consumer stands.
func standsAt(t *testing.T, s *Stream) *jetstream.ConsumerInfo {
	t.Helper()
	cons, err := s.Durable(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	info, err := cons.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestLostAcknowledgementsHoldNobodyUp: what was handled comes again, and all of it is answered in the end, though more are lost
// than may be unanswered.
func TestLostAcknowledgementsHoldNobodyUp(t *testing.T) {
	t.Parallel()
	const n, lost = 40, 25
	srv := natstest.Start(t)
	s := jobs(t, srv.Connect(t), time.Second)
	for i := range n {
		if _, err := s.Keys(BucketSpace("jobs")).Swap(t.Context(), KeyOf(fmt.Sprint(i)), 0, &Write{Data: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	count := srv.Lose(t, lost, "$JS.ACK.KV_jobs.workers.>")
	h := &handled{of: map[string]int{}}
	natstest.Run(t, h.worker(s).Run)
	natstest.Eventually(t, "all are answered", func() bool {
		info := standsAt(t, s)
		return info.NumAckPending == 0 && info.NumPending == 0 && info.AckFloor.Stream == n
	})
	if different, times := h.all(); different != n || times != n+count() || count() < lost {
		t.Errorf("%d handled, %d times, %d acknowledgements lost", different, times, count())
	}
}

// TestAWorkerThatEndsHasAnswered all that it has handled: a replica that is stopped leaves nothing that comes again.
func TestAWorkerThatEndsHasAnswered(t *testing.T) {
	t.Parallel()
	const n = 40
	srv := natstest.Start(t)
	observer := jobs(t, srv.Connect(t), time.Hour)
	for i := range n {
		if _, err := observer.Keys(BucketSpace("jobs")).Swap(t.Context(), KeyOf(fmt.Sprint(i)), 0, &Write{Data: []byte("x")}); err != nil {
			t.Fatal(err)
		}
	}
	nc := srv.Connect(t)
	h := &handled{of: map[string]int{}}
	stop := natstest.Run(t, h.worker(jobs(t, nc, time.Hour)).Run)
	natstest.Eventually(t, "all are handled", func() bool {
		different, _ := h.all()
		return different == n
	})
	stop()
	nc.Close()
	natstest.Eventually(t, "all are answered", func() bool { return standsAt(t, observer).AckFloor.Stream == n })
	if different, times := h.all(); different != times {
		t.Errorf("%d handled %d times", different, times)
	}
}
