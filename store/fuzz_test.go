package store

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
)

// FuzzSmallValues reads whatever may stand in the other buckets.
func FuzzSmallValues(f *testing.F) {
	f.Add([]byte(`{"replicas":["b","a","b"]}`))
	f.Add([]byte(`{"requested_at":"2026-12-01T06:00:00Z","by":"r","attempt":-3,"next_at":"x"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := kv.Message{Revision: 1, Data: data}
		if replicas := replicasOf(m); len(replicas) > len(data) {
			t.Errorf("%d replicas", len(replicas))
		}
		c := claimOf(m).next(Asking{By: "r"}, time.Now())
		if d := c.NextAt.Sub(c.RequestedAt); d < firstDelay || d > greatestDelay || c.Attempt < 1 {
			t.Errorf("claim = %+v", c)
		}
		_, _ = decodeLease("", m)
		_ = origin.Of(nats.Header{"Oc-Source-Seq": {string(data)}, "Oc-Source-Bus": {string(data)}})
	})
}
