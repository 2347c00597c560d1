package planners

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
)

// FuzzStoredPlanner reads whatever may stand in the bucket, and what Apply makes of what may come.
func FuzzStoredPlanner(f *testing.F) {
	for _, s := range []string{
		`{"peer_id":"p","generated_at":"2026-12-01T06:00:00Z","capacities":{}}`,
		`{"peer_id":"p","generated_at":"2026-12-01T06:00:00Z","capacities":{},"first_seen_at":"2026-12-01T06:00:00Z","received_at":"2026-12-01T06:00:00Z","expires_at":"2026-12-02T06:00:00Z","source_seq":7}`,
		` {"source_seq":null, "peer_id":"p","generated_at":"2026-12-01T06:00:00Z","capacities":{},"\u0065xpires_at":1 } `,
		`{"peer_id":"p","first_seen_at":"x`, `null`, `[]`, ``, `}`,
	} {
		f.Add([]byte(s))
	}
	p := &Planners{ttl: time.Hour}
	stored := time.Date(2026, 12, 1, 7, 0, 0, 0, time.UTC)
	header := nats.Header{"Nats-TTL": {"1h"}}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := p.decode("p", kv.Message{Revision: 1, Header: header, Data: raw, Stored: stored})
		if err == nil && (r.ExpiresAt.IsZero() || r.FirstSeenAt.IsZero() || r.PeerID() != "p") {
			t.Errorf("record = %+v", r)
		}
		pl, err := planner.Decode(raw, nil)
		if err != nil || pl.PeerID() != "p" {
			return
		}
		body, err := withoutLife(raw)
		if err != nil {
			t.Fatalf("a valid planner cannot be stored: %v", err)
		}
		l := life{firstSeen: stored, received: stored.Add(1), expires: stored.Add(time.Hour), seq: 9}
		back, err := p.decode("p", kv.Message{Revision: 1, Header: header, Data: l.close(body), Stored: stored})
		if err != nil {
			t.Fatalf("what was stored cannot be read: %v\n%s", err, l.close(body))
		}
		if back.byHand || !back.FirstSeenAt.Equal(l.firstSeen) || !back.ReceivedAt.Equal(l.received) || !back.ExpiresAt.Equal(l.expires) || back.SourceSeq != 9 {
			t.Errorf("record = %+v", back)
		}
		if back.Digest() != pl.Digest() {
			t.Error("storing has changed the planner")
		}
	})
}
