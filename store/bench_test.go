package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/planners"
)

// bookedPlanner is a planner with some slots.
func bookedPlanner(peerID string, slots int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"peer_id":%q,"generated_at":"2026-12-01T06:00:00Z","capacities":{"r":{"i0":{"cpu_cores":{"x86_64":64},"ram_gb":512}}},"schedule":{"r":[`, peerID)
	start := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for i := range slots {
		from := start.Add(time.Duration(i) * time.Hour)
		fmt.Fprintf(&b, `%s{"start":%q,"end":%q,"instance_id":"i0","booking_id":"b-%d","usage":{"ram_gb":%d}}`,
			strings.Repeat(",", min(i, 1)), from.Format(time.RFC3339), from.Add(30*time.Minute).Format(time.RFC3339), i, i%512)
	}
	return []byte(b.String() + `]}}`)
}

// BenchmarkColdStart loads a view of 20 000 planners of 20 slots (2.6 KB).
func BenchmarkColdStart(b *testing.B) {
	js := natstest.Start(b).JetStream(b)
	const peers = 20_000
	streams, err := kv.Open(b.Context(), js, kv.Config{Replicas: 1, Log: discard}, planners.Layout)
	if err != nil {
		b.Fatal(err)
	}
	for i := range peers {
		peerID := fmt.Sprintf("peer-%d", i)
		if _, err := js.PublishAsync("$KV.planners."+peerID, bookedPlanner(peerID, 20), jetstream.WithMsgTTL(time.Hour)); err != nil {
			b.Fatal(err)
		}
		if i%1000 == 999 {
			<-js.PublishAsyncComplete()
		}
	}
	decode := func(_ kv.Key, m kv.Message) (*planner.Planner, error) { return planner.Decode(m.Data, nil) }
	for b.Loop() {
		v := kv.NewView(streams[0].Keys(kv.BucketSpace(planners.Bucket)), decode)
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() { done <- v.Run(ctx) }()
		<-v.Loaded()
		if v.Len() != peers {
			b.Fatalf("%d planners loaded", v.Len())
		}
		cancel()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkApply stores a planner of 100 slots again and again; the view follows.
func BenchmarkApply(b *testing.B) {
	js := natstest.Start(b).JetStream(b)
	st, err := store.Open(b.Context(), js, store.Config{}, discard, nil)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- st.Run(ctx) }()
	raw := bookedPlanner("p", 100)
	pl, err := planner.Decode(raw, nil)
	if err != nil {
		b.Fatal(err)
	}
	seq := uint64(0)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		seq++
		if _, err := st.Planners.Apply(ctx, raw, pl, at(seq)); err != nil {
			b.Fatal(err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
