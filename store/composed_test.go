package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/offer"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
)

// composed is the planner of a peer whose nodes offer these documents.
func composed(t *testing.T, peerID string, documents map[string]string) *offer.Composition {
	t.Helper()
	offers := map[string]*offer.Offer{}
	for node, document := range documents {
		o, err := offer.Decode([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		offers[node] = o
	}
	c, err := offer.Compose(peerID, now.Add(-time.Hour), offers)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const oneInstance, alsoThat = `{"capacities":{"r":{"i0":{"ram_gb":7}}}}`, `{"capacities":{"r":{"i0":{"ram_gb":8}}}}`

func TestAComposedPlannerTakesThePlaceOfAnyOther(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := running(t, srv, store.Config{PlannerTTL: time.Hour})
	compose := func(c *offer.Composition, begin, want bool) {
		t.Helper()
		stored, err := st.Planners.Compose(t.Context(), c.JSON, c.Planner, begin)
		if err != nil || stored != want {
			t.Fatalf("stored %t, %v, want %t", stored, err, want)
		}
	}
	one, two := composed(t, "p", map[string]string{"a": oneInstance}), composed(t, "p", map[string]string{"a": oneInstance, "b": alsoThat})
	compose(one, false, false) // there is no planner to be kept up
	apply(t, st, plannerJSON("p", now, 1), arrived(1))
	first := shows(t, st, "p", func(r planners.Record) bool { return !r.Composed })
	compose(one, false, true)
	e := shows(t, st, "p", func(r planners.Record) bool { return r.Composed && ramOf(r) == 7 })
	if !e.Value.ExpiresAt.Equal(first.Value.ExpiresAt) || !e.Value.FirstSeenAt.Equal(first.Value.FirstSeenAt) || e.Value.SourceSeq != 0 {
		t.Errorf("another life: %+v after %+v", e.Value, first.Value)
	}
	compose(one, true, false)
	compose(two, false, true)
	warned := shows(t, st, "p", func(r planners.Record) bool { return len(r.Warnings()) == 1 })
	if warned.Value.Digest() != two.Planner.Digest() || warned.Value.Digest() == one.Planner.Digest() || !slices.Equal(warned.Value.Warnings(), two.Planner.Warnings()) {
		t.Errorf("warnings %q", warned.Value.Warnings())
	}
	other, _ := running(t, srv, store.Config{}) // which has not composed it itself
	if read := shows(t, other, "p", func(r planners.Record) bool { return r.Composed }); read.Value.Digest() != two.Planner.Digest() {
		t.Errorf("read again, it warns of %q", read.Value.Warnings())
	}
	if out := apply(t, st, plannerJSON("p", now, 1), arrived(1)); out != origin.Late {
		t.Errorf("an arrival of before: %v", out)
	}
	revision := warned.Revision
	compose(two, true, false)
	if now := newestRevision(t, js, "p"); now != revision {
		t.Errorf("what stands is written again: %d after %d", now, revision)
	}
	apply(t, st, plannerJSON("p", now, 2), arrived(2)) // of one who does not know that the peer has nodes
	shows(t, st, "p", func(r planners.Record) bool { return !r.Composed })
	compose(two, false, true)
	if e := shows(t, st, "p", func(r planners.Record) bool { return r.Composed }); !e.Value.ExpiresAt.Equal(first.Value.ExpiresAt) {
		t.Errorf("ends at %v, not %v", e.Value.ExpiresAt, first.Value.ExpiresAt)
	}
}

// A life begins with a composed planner where it is wanted, ends as any does, and departs with the last node.
func TestTheLifeOfAComposedPlanner(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, _ := running(t, srv, store.Config{PlannerTTL: 2 * time.Second})
	var ends endings
	runEnds(t, st, &ends)
	c := composed(t, "p", map[string]string{"a": oneInstance})
	compose := func(begin bool) bool {
		t.Helper()
		stored, err := st.Planners.Compose(t.Context(), c.JSON, c.Planner, begin)
		if err != nil {
			t.Fatal(err)
		}
		return stored
	}
	if !compose(true) {
		t.Fatal("no life begins")
	}
	if err := st.Planners.Depart(t.Context(), "p", time.Time{}); err != nil {
		t.Fatal(err)
	}
	life := shows(t, st, "p", func(r planners.Record) bool { return r.Composed })
	if e := ends.await(t, 1)[0]; e.Cause != planners.Expired || e.At.Before(life.Value.ExpiresAt.Add(-time.Second)) {
		t.Errorf("end %+v of %+v", e, life.Value)
	}
	gone(t, st, "p")
	st, _ = running(t, srv, store.Config{}) // whose planners live for long
	if compose(false) || !compose(true) {
		t.Error("a life begins by itself, or not where it is wanted")
	}
	shows(t, st, "p", func(r planners.Record) bool { return r.Composed })
	for _, err := range []error{st.Planners.Disband(t.Context(), "p"), st.Planners.Disband(t.Context(), "p"), st.Planners.Disband(t.Context(), "nobody")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if e := ends.await(t, 2)[1]; e.Cause != planners.Departed {
		t.Errorf("end %+v", e)
	}
	if out := apply(t, st, plannerJSON("p", now, 3), arrived(3)); out != origin.Stored {
		t.Errorf("discovery after it: %v", out)
	}
	if err := st.Planners.Disband(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 3 })
}

// Replicas that compose the same write it once; of those that compose something else, the last one stands.
func TestManyComposeAtOnce(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	c := composed(t, "p", map[string]string{"a": oneInstance})
	stored := make(chan bool)
	const replicas = 5
	for range replicas {
		st, _ := running(t, srv, store.Config{})
		go func() {
			once, err := st.Planners.Compose(context.WithoutCancel(t.Context()), c.JSON, c.Planner, true)
			if err != nil {
				t.Error(err)
			}
			stored <- once
		}()
	}
	writes := 0
	for range replicas {
		if <-stored {
			writes++
		}
	}
	stream, err := srv.JetStream(t).Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	if last := stream.CachedInfo().State.LastSeq; writes != 1 || last != 1 {
		t.Errorf("%d writes, %d messages", writes, last)
	}
}
