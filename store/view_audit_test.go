package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// TestAViewSeesWhatIsRemovedFromBelow also where markers stand that hide it from a count of messages, and says
// nothing of what stays.
func TestAViewSeesWhatIsRemovedFromBelow(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct {
		remove func(t *testing.T, s jetstream.Stream) error
		gone   []string
	}{
		"a key": {func(t *testing.T, s jetstream.Stream) error {
			t.Helper()
			return s.Purge(t.Context(), jetstream.WithPurgeSubject("$KV.texts.k3"))
		}, []string{"k3"}},
		"a message": {func(t *testing.T, s jetstream.Stream) error { t.Helper(); return s.SecureDeleteMsg(t.Context(), 5) }, []string{"k4"}},
		"the newest message": {func(t *testing.T, s jetstream.Stream) error {
			t.Helper()
			return s.DeleteMsg(t.Context(), s.CachedInfo().State.LastSeq)
		}, []string{"k9"}},
		"the whole stream": {
			func(t *testing.T, s jetstream.Stream) error { t.Helper(); return s.Purge(t.Context()) },
			[]string{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k9"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			v := newTextView(t, natstest.Start(t))
			for i := range 10 {
				v.put(t, fmt.Sprintf("k%d", i), "x")
			}
			kv, err := v.js.KeyValue(t.Context(), "texts")
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"k7", "k8"} { // their markers stand
				if err := kv.Delete(t.Context(), key); err != nil {
					t.Fatal(err)
				}
			}
			v.put(t, "k9", "y")
			run(t, v.Run)
			receive(t, v.Loaded())
			v.taken()
			stream, err := v.js.Stream(t.Context(), "KV_texts")
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.remove(t, stream); err != nil {
				t.Fatal(err)
			}
			natstest.Eventually(t, "the view shows it", func() bool { return v.Len() == 8-len(tc.gone) && v.Current() })
			changes, _ := v.taken()
			if slices.Sort(changes); !slices.Equal(changes, tc.gone) {
				t.Errorf("changes = %v, want %v", changes, tc.gone)
			}
		})
	}
}

// TestPlannersRemovedFromBelowEndOnce long before their time is up: as by an operator's removal, each end is told
// to one replica.
func TestPlannersRemovedFromBelowEndOnce(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := running(t, srv, store.Config{})
	other, _ := running(t, srv, store.Config{})
	var e endings
	for _, replica := range []*store.Store{st, other} {
		runEnds(t, replica, &e)
	}
	for i, peer := range []string{"p", "q"} {
		apply(t, st, plannerJSON(peer, now, 1), arrived(uint64(i+1)))
		for _, replica := range []*store.Store{st, other} {
			shows(t, replica, peer, func(store.PlannerRecord) bool { return true })
		}
	}
	stream, err := js.Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.await(t, 2)
	for _, peer := range []string{"p", "q"} {
		gone(t, st, peer)
		gone(t, other, peer)
	}
	settled(t, js)
	if ends := e.all(); len(ends) != 2 {
		t.Errorf("ends = %v", ends)
	}
}
