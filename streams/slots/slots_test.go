package slots_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/slots"
)

// TestToldOnceAndAtOnce of what is booked, extended and given back.
func TestToldOnceAndAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.replicas["r2"].Plan // not the one that looks after the node
	a := w.book(t, p, owner(p), 0, 2)
	w.settles(t, p, 1)
	b := w.book(t, p, owner(p), 1)
	a = w.book(t, p, a, 0, 2, 4)
	w.settles(t, p, 2)
	w.free(t, p, a)
	w.settles(t, p, 1)
	w.free(t, p, b)
	w.settles(t, p, 0)
	if n, _, _ := w.node.count(); n != 3 {
		t.Errorf("told %d times of what stood in three states", n)
	}
}

// TestToldAgainUntilItIsSent: what cannot be sent is not taken for told.
func TestToldAgainUntilItIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.replicas["r1"].Plan
	before := w.book(t, p, owner(p), 0)
	w.settles(t, p, 1)
	w.node.breaks(true)
	w.free(t, p, before)
	w.book(t, p, owner(p), 0)
	natstest.Eventually(t, "both were tried", func() bool {
		_, _, failed := w.node.count()
		return failed > 1
	})
	w.node.breaks(false)
	w.settles(t, p, 1)
}

// TestASessionBeginsAnew: what was sent in the one before may never have come.
func TestASessionBeginsAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.replicas["r1"]
	w.node.vanishes()
	w.book(t, r.Plan, owner(r.Plan), 0)
	natstest.Eventually(t, "it is sent", func() bool {
		_, waiting, _ := w.node.count()
		return waiting == 1
	})
	w.node.forget()
	w.node.begin(t, r.Store)
	w.settles(t, r.Plan, 1)
}

// TestAwayForDays: so long that what was sent to the node is there no more.
func TestAwayForDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.replicas["r1"]
	stays, ends := w.book(t, r.Plan, owner(r.Plan), 0), w.book(t, r.Plan, owner(r.Plan), 1)
	w.settles(t, r.Plan, 2)
	w.node.leave(t, r.Store)
	w.free(t, r.Plan, ends)
	w.book(t, r.Plan, owner(r.Plan), 1)
	w.book(t, r.Plan, stays, 0, 5)
	natstest.Eventually(t, "the plan shows it", func() bool { return len(r.Plan.Taken("p")) == 2 })
	w.node.forget()
	w.node.begin(t, r.Store)
	w.settles(t, r.Plan, 2)
}

// TestTheOneThatWouldTellDies between the commit and the telling.
func TestTheOneThatWouldTellDies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.replicas["r1"], w.replicas["r2"]
	ends := w.book(t, first.Plan, owner(first.Plan), 0)
	w.settles(t, first.Plan, 1)
	w.node.breaks(true) // the last that it does is in vain
	w.book(t, first.Plan, owner(first.Plan), 1)
	w.free(t, first.Plan, ends)
	first.stop()
	w.node.breaks(false)
	w.hold("r2")
	w.settles(t, second.Plan, 1)
}

// TestRoomIsToldBefore an execution is ordered in it, and of nothing nobody is told.
func TestRoomIsToldBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hold("nobody")
	r := w.replicas["r1"]
	s := slots.New(r.Store, slots.Config{Orders: &courier{w.node, r.Store}})
	b := w.book(t, r.Plan, owner(r.Plan), 3)
	at := run.Place{PeerID: "p", ResourceID: "r", InstanceID: "i"}
	for _, of := range []string{b.ScheduleID, r.Plan.NewID(schedule.OfSchedule)} {
		if err := s.Tell(t.Context(), "n1", of, at); err != nil {
			t.Fatal(err)
		}
	}
	w.settles(t, r.Plan, 1)
	w.node.breaks(true)
	if err := s.Tell(t.Context(), "n1", b.ScheduleID, at); err == nil {
		t.Error("what cannot be sent is told")
	}
}

// TestWhateverHappens the ledger ends as the plan has it.
func TestWhateverHappens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r := w.replicas["r1"]
	p := r.Plan
	var stand []schedule.Booking
	for range 60 {
		switch chance := random.IntN(10); {
		case chance < 3 || len(stand) == 0:
			stand = append(stand, w.book(t, p, owner(p), random.IntN(48)))
		case chance < 5:
			n := random.IntN(len(stand))
			w.free(t, p, stand[n])
			stand = slices.Delete(stand, n, n+1)
		case chance == 5:
			n := random.IntN(len(stand))
			stand[n] = w.book(t, p, stand[n], random.IntN(48), 48+random.IntN(48))
		case chance == 6 && random.IntN(2) == 0:
			w.node.vanishes()
		case chance == 6:
			w.node.leave(t, r.Store)
		case chance == 7:
			w.node.begin(t, r.Store)
		case chance == 8:
			w.node.forget() // what comes of it, a new session mends
			w.node.begin(t, r.Store)
		default:
			w.hold([]string{"r1", "r2"}[random.IntN(2)])
		}
		w.node.breaks(random.IntN(4) == 0)
	}
	w.node.breaks(false)
	w.node.begin(t, r.Store)
	w.settles(t, p, len(stand))
}
