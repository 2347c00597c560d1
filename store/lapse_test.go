package store_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/planners"
)

// What is purged from the stream leaves no marker. Its end comes all the same, when its time is up,
// once for the fleet.
func TestAPlannerThatWasPurgedEndsWithItsTime(t *testing.T) {
	t.Parallel()
	for what, opts := range map[string][]jetstream.StreamPurgeOpt{
		"a key":            {jetstream.WithPurgeSubject("$KV.planners.p")},
		"the whole stream": nil,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			srv, cfg := natstest.Start(t), store.Config{PlannerTTL: 2 * time.Second}
			st, js := running(t, srv, cfg)
			other, _ := running(t, srv, cfg)
			var e endings
			for _, replica := range []*store.Store{st, other} {
				runEnds(t, replica, &e)
			}
			apply(t, st, plannerJSON("p", now, 1), arrived(1))
			for _, replica := range []*store.Store{st, other} {
				shows(t, replica, "p", func(planners.Record) bool { return true })
			}
			stream, err := js.Stream(t.Context(), "KV_planners")
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.Purge(t.Context(), opts...); err != nil {
				t.Fatal(err)
			}
			gone(t, st, "p")
			gone(t, other, "p")
			e.await(t, 1)
			settled(t, js)
			if ends := e.all(); len(ends) != 1 || ends[0].PeerID != "p" || ends[0].Cause != planners.Expired {
				t.Errorf("ends = %v", ends)
			}
		})
	}
}

// A TTL that an operator made longer than the life does not make the life longer.
func TestAPlannerWhoseKeyOutlivesItEnds(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{PlannerTTL: 2 * time.Second})
	apply(t, st, plannerJSON("p", now, 1), arrived(1))
	value, _, err := st.Planners.Raw(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "$KV.planners.p", value, jetstream.WithMsgTTL(time.Hour)); err != nil {
		t.Fatal(err)
	}
	shows(t, st, "p", func(planners.Record) bool { return true })
	gone(t, st, "p")
	_, _, err = st.Planners.Raw(t.Context(), "p")
	wantErr(t, err, kv.ErrNotFound)
}
