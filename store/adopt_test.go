package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/planners"
)

func TestAPlannerWrittenByHandIsTakenIn(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	cfg := store.Config{PlannerTTL: 3 * time.Second}
	st, js := running(t, srv, cfg)
	running(t, srv, cfg) // another replica, that wants to take them in as well
	bucket, err := js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	apply(t, st, plannerJSON("copied", now, 3), at(1))
	copied, _, err := st.Planners.Raw(t.Context(), "copied")
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"plain":  string(plannerJSON("plain", now, 1)),
		"copied": string(copied), // the fields are there, but put drops the TTL
		"other":  string(plannerJSON("somebody", now, 1)),
		"broken": `{"peer_id":"broken"`,
	} {
		if _, err := bucket.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bucket.Create(t.Context(), "create", plannerJSON("create", now, 2), jetstream.KeyTTL(time.Minute)); err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	for _, peer := range []string{"plain", "copied", "create"} {
		var m *jetstream.RawStreamMsg
		natstest.Eventually(t, peer+" is taken in", func() bool {
			m, err = stream.GetLastMsgForSubject(t.Context(), "$KV.planners."+peer)
			return err == nil && m.Header.Get("Nats-TTL") == "3s"
		})
		if value := string(m.Data); strings.Count(value, "first_seen_at") != 1 || !strings.HasSuffix(value, `,"source_seq":0}`) {
			t.Errorf("%s = %s", peer, value)
		}
		e := shows(t, st, peer, func(r planners.Record) bool { return true })
		if life := e.Value.ExpiresAt.Sub(e.Value.FirstSeenAt); life != cfg.PlannerTTL {
			t.Errorf("%s lives for %v", peer, life)
		}
	}
	natstest.Eventually(t, "the others are reported", func() bool { return len(st.Planners.View().Broken()) == 2 })
	if err := st.Planners.Adopt(t.Context(), "other"); err != nil {
		t.Error(err)
	}
	if err := st.Planners.Adopt(t.Context(), "nobody"); err != nil {
		t.Error(err)
	}
	_, _, err = st.Planners.Raw(t.Context(), "other") // it was not touched
	wantErr(t, err, kv.ErrUndecodable)
	apply(t, st, plannerJSON("broken", now, 9), at(7)) // a planner that comes takes the place of a broken one
	shows(t, st, "broken", func(r planners.Record) bool { return ramOf(r) == 9 })
	gone(t, st, "plain") // its life ends as that of any other
}
