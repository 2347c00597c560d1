package check_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"oc-scheduler/store/access"
	"oc-scheduler/streams/check"
)

// TestBookingsAreSeenAndWakeStreams: those with the peers of the workflow, each once.
func TestBookingsAreSeenAndWakeStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(fixedNow)
		w.putWorkflow(t, "wf", 4, "p")
		w.putPlanner(t, "p", 8)
		st := w.open(t, "wf")
		st.Submit(hour())
		free := next(t, st)
		w.book("p", "s-1", 4)
		taken := next(t, st)
		if status(t, taken) != "available" || taken.Version == free.Version || !taken.Stored.IsZero() {
			t.Errorf("half of it is booked: %s", taken.JSON)
		}
		w.book("q", "s-2", 4) // another peer's
		silent(t, st)
		w.BookingsChanged("p") // nothing new
		silent(t, st)
		w.book("p", "h-1", 1)
		if f := next(t, st); status(t, f) != "unavailable" || !strings.Contains(string(f.JSON), `"free":3,"by":[{"hold_id":"h-1"},{"schedule_id":"s-1"}]`) {
			t.Errorf("more is booked than is left: %s", f.JSON)
		}
		w.book("p", "h-1", 0)
		if f := next(t, st); f.Version != taken.Version {
			t.Errorf("the hold is over: version %s, want %s", f.Version, taken.Version)
		}
		w.book("p", "s-1", 0)
		if f := next(t, st); f.Version != free.Version {
			t.Errorf("nothing is booked: version %s, want %s", f.Version, free.Version)
		}
	})
}

// TestBookingsOfDroppedPeersAreNotWatched: as their planners are not.
func TestBookingsOfDroppedPeersAreNotWatched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(fixedNow)
		w.putWorkflow(t, "wf", 4, "p")
		w.putPlanner(t, "p", 8)
		w.putPlanner(t, "q", 8)
		st := w.open(t, "wf")
		st.Submit(hour())
		next(t, st)
		w.putWorkflow(t, "wf", 4, "q")
		next(t, st)
		woken := false
		st.OnWake(func() { woken = true })
		if _, ok, err := st.Poll(); ok || err != nil {
			t.Fatal("there is something to say", err)
		}
		if w.book("p", "s-1", 4); woken {
			t.Error("woken for a peer that the workflow does not name any more")
		}
		if w.book("q", "s-1", 8); !woken {
			t.Error("not woken for a peer that it names")
		}
	})
}

// TestOneShotsSeeBookings, whatever was asked before.
func TestOneShotsSeeBookings(t *testing.T) {
	t.Parallel()
	w := newWorld(fixedNow)
	w.putWorkflow(t, "wf", 4, "p")
	w.putPlanner(t, "p", 8)
	once := func() check.Frame {
		f, err := w.service.Once(access.Anonymous, "wf", hour())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, c := range []struct {
		owner string
		cores int
		want  string
	}{{"s-1", 4, "available"}, {"s-2", 1, "unavailable"}, {"s-2", 0, "available"}, {"s-1", 5, "unavailable"}, {"s-1", 0, "available"}} {
		before := once()
		w.book("p", c.owner, c.cores)
		if f := once(); status(t, f) != c.want || f.Version == before.Version {
			t.Errorf("%d for %s: %s", c.cores, c.owner, f.JSON)
		}
	}
}
