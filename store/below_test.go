package store_test

import (
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/planners"
)

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
			shows(t, replica, peer, func(planners.Record) bool { return true })
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
