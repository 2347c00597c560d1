package store

import (
	"testing"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
)

// A snapshot whose last message disappears before its delivery would never end by itself.
func TestASnapshotThatVanishesIsExhausted(t *testing.T) {
	t.Parallel()
	b := counterBucket(t, natstest.Start(t), 1)
	for _, key := range []string{"a", "b"} {
		if _, err := b.swap(t.Context(), key, 0, &write{data: []byte("1")}); err != nil {
			t.Fatal(err)
		}
	}
	v := NewView(b.js, b.name, func(string, *nats.Msg) (int, error) { return 1, nil })
	f := v.follower()
	cons, err := v.consumer(t.Context(), &f)
	if err != nil {
		t.Fatal(err)
	}
	if cons.CachedInfo().NumPending != 2 || exhausted(t.Context(), cons, 0) {
		t.Errorf("%d messages are pending", cons.CachedInfo().NumPending)
	}
	if err := b.stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !exhausted(t.Context(), cons, 0) {
		t.Error("waits for messages that are gone")
	}
	if exhausted(t.Context(), cons, 1) {
		t.Error("exhausted though more was seen than delivered")
	}
}
