package store_test

import (
	"context"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
)

// An event that is delivered again after the life that it was of finds that life over, however it
// ended, and whichever replica gets it. Who ends it may know what is on the bus; where nobody does, only
// time tells, and that of two servers' clocks.
func TestARedeliveryRevivesNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	onBus := func(context.Context) (origin.Source, error) { return arrived(2), nil }
	st, js := running(t, srv, store.Config{PlannerTTL: 2 * time.Second, LastOnBus: onBus})
	other, _ := open(t, srv, store.Config{}) // a replica whose view shows nothing
	bucket, err := js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	for peer, c := range map[string]struct {
		end func() error
		ago time.Duration // since the arrivals
	}{
		"unwatched": {func() error { return st.Planners.End(t.Context(), "unwatched", "", always) }, 0},
		"deleted":   {func() error { return bucket.Delete(t.Context(), "deleted") }, 2 * planners.MaxSkew},
		"purged":    {func() error { return bucket.Purge(t.Context(), "purged") }, 2 * planners.MaxSkew},
		"expired":   {func() error { return nil }, 0},
	} {
		t.Run(peer, func(t *testing.T) {
			first, late := arrived(1), arrived(2)
			first.Time, late.Time = first.Time.Add(-c.ago), late.Time.Add(-c.ago)
			if out := apply(t, st, plannerJSON(peer, now, 1), first); out != origin.Stored {
				t.Fatal(out)
			}
			shows(t, st, peer, func(planners.Record) bool { return true })
			if err := c.end(); err != nil {
				t.Fatal(err)
			}
			gone(t, st, peer)
			before := newestRevision(t, js, peer)
			for _, replica := range []*store.Store{st, other} {
				if out := apply(t, replica, plannerJSON(peer, now, 1), first); out != origin.Late {
					t.Errorf("delivered again: %v", out)
				}
				if out := apply(t, replica, plannerJSON(peer, now.Add(time.Second), 2), late); out != origin.Late {
					t.Errorf("arrived in the life that is over, handled after it: %v", out)
				}
			}
			if after := newestRevision(t, js, peer); after != before {
				t.Errorf("revision %d follows %d: something was written", after, before)
			}
			if out := apply(t, st, plannerJSON(peer, now.Add(-time.Hour), 3), arrived(3)); out != origin.Stored {
				t.Errorf("arrived after the end: %v", out)
			}
			shows(t, st, peer, func(r planners.Record) bool { return ramOf(r) == 3 })
			for _, replica := range []*store.Store{st, other} {
				if out := apply(t, replica, plannerJSON(peer, now, 1), first); out != origin.Late {
					t.Errorf("delivered again into the next life: %v", out)
				}
			}
		})
	}
}

// A planner that answers the next request right after the end is never taken for one of before, though
// the clock of the bus is behind that of the bucket.
func TestWhatFollowsAnEndIsOfTheNextLife(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	bucket, err := js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	for peer, end := range map[string]func() error{
		"unwatched": func() error { return st.Planners.End(t.Context(), "unwatched", "", always) },
		"deleted":   func() error { return bucket.Delete(t.Context(), "deleted") },
	} {
		apply(t, st, plannerJSON(peer, now, 1), arrived(1))
		if err := end(); err != nil {
			t.Fatal(err)
		}
		answer := arrived(2)
		answer.Time = answer.Time.Add(-900 * time.Millisecond) // less than planners.MaxSkew
		if out := apply(t, st, plannerJSON(peer, now, 2), answer); out != origin.Stored {
			t.Errorf("%s: %v", peer, out)
		}
	}
}

// A planner decides by its arrival, also where its key outlives it.
func TestArrivalDecidesWhileTheOldKeyStands(t *testing.T) {
	t.Parallel()
	st, _ := running(t, natstest.Start(t), store.Config{PlannerTTL: time.Hour})
	apply(t, st, plannerJSON("p", now, 1), at(1))
	first := shows(t, st, "p", func(planners.Record) bool { return true }).Value
	after := origin.Source{Seq: 2, Time: first.ExpiresAt, Bus: at(2).Bus}
	if out := apply(t, st, plannerJSON("p", now.Add(-time.Hour), 2), after); out != origin.Stored {
		t.Errorf("arrived at the end: %v", out)
	}
	second := shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 2 }).Value
	if !second.ExpiresAt.After(first.ExpiresAt) {
		t.Error("no new life has begun")
	}
	if out := apply(t, st, plannerJSON("p", now, 1), at(1)); out != origin.Late {
		t.Errorf("of the life before: %v", out)
	}
	if out := apply(t, st, plannerJSON("p", now.Add(-time.Hour), 2), after); out != origin.Stored {
		t.Errorf("the same again: %v", out)
	}
}
