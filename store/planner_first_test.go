package store_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
)

// A planner is stored with one request to the server, be it the first of its peer or another.
func TestAPlannerIsStoredWithoutReading(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	natstest.Eventually(t, "the view is current", st.Planners.View().Current)
	reads, err := js.Conn().SubscribeSync("$JS.API.>")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		if out := apply(t, st, plannerJSON("p", now, n), at(uint64(n+1))); out != origin.Stored {
			t.Errorf("planner %d: %v", n, out)
		}
	}
	if err := js.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	for m, err := reads.NextMsg(time.Nanosecond); err == nil; m, err = reads.NextMsg(time.Nanosecond) {
		if strings.Contains(m.Subject, ".GET.KV_planners") {
			t.Errorf("%s was asked", m.Subject)
		}
	}
}

// What the view does not show may be there all the same: a marker or a broken value.
func TestWhatIsNotInViewIsNoFirstPlanner(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	natstest.Eventually(t, "the view is current", st.Planners.View().Current)
	for key, m := range map[string]*nats.Msg{
		"marked": {Header: nats.Header{"KV-Operation": {"PURGE"}}},
		"broken": {Data: []byte("{")},
	} {
		m.Subject = "$KV.planners." + key
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if out := apply(t, st, plannerJSON("marked", now, 1), origin.Source{Seq: 1, Time: now.Add(-time.Hour)}); out != origin.Late {
		t.Errorf("a planner of the life before the marker: %v", out)
	}
	for _, key := range []string{"marked", "broken"} {
		if out := apply(t, st, plannerJSON(key, now, 2), arrived(2)); out != origin.Stored {
			t.Errorf("%s: %v", key, out)
		}
		shows(t, st, key, func(r planners.Record) bool { return ramOf(r) == 2 })
	}
}

// Many first planners of one peer, on three replicas of a cluster: one life begins, and the newest wins.
func TestManyFirstPlannersBeginOneLife(t *testing.T) {
	t.Parallel()
	const writers = 64
	servers := natstest.StartCluster(t, 3).Servers
	stores := make([]*store.Store, len(servers))
	for i, srv := range servers {
		js := srv.JetStream(t)
		natstest.Eventually(t, "the cluster takes the buckets", func() (ok bool) {
			var err error
			stores[i], err = store.Open(t.Context(), js, store.Config{Replicas: 3}, discard, nil)
			return err == nil
		})
		oneLife(t, stores[i])
		natstest.Run(t, stores[i].Run)
		natstest.Eventually(t, "the view is current", stores[i].Planners.View().Current)
	}
	var wg sync.WaitGroup
	for n := range writers {
		raw := plannerJSON("p", now.Add(time.Duration(n)*time.Millisecond), n)
		pl := decode(t, raw)
		wg.Go(func() {
			if _, err := stores[n%len(stores)].Planners.Apply(context.Background(), raw, pl, at(uint64(n+1))); err != nil {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	wg.Wait()
	for _, st := range stores {
		shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == writers-1 })
	}
}

// oneLife checks each version that a view shows against the one before.
func oneLife(t *testing.T, st *store.Store) {
	t.Helper()
	var last planners.Record
	st.Planners.View().OnChange(func(peerID string) {
		e, _ := st.Planners.View().Get(peerID)
		r := e.Value
		if last.Planner != nil && (!r.FirstSeenAt.Equal(last.FirstSeenAt) || !r.ExpiresAt.Equal(last.ExpiresAt) || !r.GeneratedAt().After(last.GeneratedAt())) {
			t.Errorf("%+v follows %+v", r, last)
		}
		last = r
	})
}
