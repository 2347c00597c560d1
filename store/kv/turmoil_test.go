package kv_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

// After any mix of writes, removals, expiries and restarts a view shows what the bucket holds.
func TestAViewEqualsItsBucketAfterTurmoil(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	v := newTextView(t, srv)
	natstest.Run(t, v.Run)
	natstest.Receive(t, v.Loaded())
	writer := srv.JetStream(t)
	ctx, cancel := context.WithCancel(t.Context())
	writes := make(chan int)
	go func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			turmoil(ctx, writer, n)
		}
		writes <- n
	}()
	for i := range 4 {
		from := v.Len()
		natstest.Eventually(t, "the view moves", func() bool { return v.Len() != from })
		if i%2 == 0 {
			srv.Stop()
			natstest.Eventually(t, "the view notices", func() bool { return !v.Current() })
		}
		srv.Restart(t)
		natstest.Eventually(t, "the view is current", v.Current)
	}
	cancel()
	t.Logf("%d writes", natstest.Receive(t, writes))
	srv.Restart(t) // the last removals without a trace show in a snapshot only
	natstest.Eventually(t, "the view equals the bucket", func() bool { return equalsBucket(t, v) })
}

// turmoil does one random thing to one of 200 keys; during an outage it fails, which is no matter.
func turmoil(ctx context.Context, js jetstream.JetStream, n int) {
	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	subject := fmt.Sprintf("$KV.texts.k%d", rand.N(200))
	switch rand.N(10) {
	case 0:
		if stream, err := js.Stream(ctx, "KV_texts"); err == nil {
			_ = stream.Purge(ctx, jetstream.WithPurgeSubject(subject)) // without a trace: only a snapshot shows it
		}
	case 1, 2:
		if bucket, err := js.KeyValue(ctx, "texts"); err == nil {
			_ = bucket.Purge(ctx, subject[len("$KV.texts."):], jetstream.PurgeTTL(time.Second))
		}
	case 3, 4:
		_, _ = js.Publish(ctx, subject, fmt.Append(nil, n), jetstream.WithMsgTTL(time.Second))
	default:
		_, _ = js.Publish(ctx, subject, fmt.Append(nil, n))
	}
}

// equalsBucket compares key by key with what the server has.
func equalsBucket(t *testing.T, v *textView) bool {
	t.Helper()
	stream, err := v.js.Stream(t.Context(), "KV_texts")
	if err != nil {
		return false
	}
	for i := range 200 {
		id := fmt.Sprintf("k%d", i)
		m, err := stream.GetLastMsgForSubject(t.Context(), "$KV.texts."+id)
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return false
		}
		live := err == nil && m.Header.Get("KV-Operation") == "" && m.Header.Get("Nats-Marker-Reason") == ""
		e, ok := v.Get(id)
		if ok != live || ok && (e.Value != string(m.Data) || e.Revision != m.Sequence) {
			return false
		}
	}
	return true
}
