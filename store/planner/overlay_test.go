package planner_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

// TestTakers against a look at each moment: standing bookings by owner, and whether the planner has more.
func TestTakers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		start, end := moment(rt, "start"), moment(rt, "end")
		for _, i := range w.index(t).Resource("r").Instances() {
			for dim, capacity := range w.capacities[i.ID()] {
				owners, planners := w.takers(i.ID(), start, end, func(b booking) bool { return b.usage == nil && capacity > 0 || b.usage[dim] > 0 })
				if got, shown := i.Takers(dim, origin+start, origin+end); !slices.Equal(got, owners) || shown != planners {
					rt.Fatalf("%s of %s in [%d, %d): %v, %t, want %v, %t", dim, i.ID(), start, end, got, shown, owners, planners)
				}
			}
			owners, planners := w.takers(i.ID(), start, end, booking.takes)
			if got, shown := i.Occupants(origin+start, origin+end); !slices.Equal(got, owners) || shown != planners {
				rt.Fatalf("%s in [%d, %d): %v, %t, want %v, %t", i.ID(), start, end, got, shown, owners, planners)
			}
			if got, shown := i.Takers("tea", origin+start, origin+end); got != nil || shown {
				rt.Fatalf("tea is taken by %v, %t", got, shown)
			}
		}
	})
}

// takers are the owners of standing bookings that take something, and whether other slots do.
func (w world) takers(instance string, start, end int64, takes func(booking) bool) (owners []string, planners bool) {
	among := func(b booking) bool {
		return takes(b) && max(start, b.start) < min(end, b.end) && (b.instance == "" || b.instance == instance)
	}
	for _, b := range w.standing {
		if among(b) {
			owners = append(owners, b.owner)
		}
	}
	slices.Sort(owners)
	return slices.Compact(owners), slices.ContainsFunc(w.slots, func(b booking) bool { return among(b) && !w.returned(b) })
}

// TestOnlySomeOwnersTakeAnything is an overlay of the same bookings of which the others ask for nothing.
func TestOnlySomeOwnersTakeAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		takes := func(owner string) bool { return owner != "h-1" }
		emptied := slices.Clone(w.standing)
		for i := range emptied {
			if !takes(emptied[i].owner) {
				emptied[i].usage = amounts{}
			}
		}
		x := planner.NewIndex(w.planner(t))
		got, want := instances(x.With(overlay(w.standing).Only(takes))), instances(x.With(overlay(emptied)))
		start, end := moment(rt, "start"), moment(rt, "end")
		for n := range want {
			for dim := range w.capacities[want[n].ID()] {
				if g, w := got[n].Timeline(dim).MaxUse(origin+start, origin+end), want[n].Timeline(dim).MaxUse(origin+start, origin+end); g != w {
					rt.Fatalf("%s of %s in [%d, %d): %v, want %v", dim, want[n].ID(), start, end, g, w)
				}
			}
			if g, w := got[n].Occupancy().MaxUse(origin+start, origin+end), want[n].Occupancy().MaxUse(origin+start, origin+end); g != w {
				rt.Fatalf("%s in [%d, %d): %v, want %v", want[n].ID(), start, end, g, w)
			}
		}
	})
	if (*planner.Overlay)(nil).Only(nil) != nil {
		t.Error("nothing becomes something")
	}
}

// shown is a world of two instances whose planner shows our booking of the first.
func shown() world {
	ours := booking{start: 1, end: 3, instance: "i0", usage: amounts{"ram": 2}, id: "oc-1"}
	return world{
		capacities: map[string]amounts{"i0": {"ram": 4}, "i1": {"ram": 4}},
		slots:      []booking{ours, {start: 2, end: 9, id: "b-1"}},
		standing:   []booking{ours},
	}
}

// instances are those of the resource r.
func instances(x *planner.Index) []*planner.Instance { return x.Resource("r").Instances() }

func TestWhatAnOverlayDoesNotChangeIsShared(t *testing.T) {
	t.Parallel()
	w := shown()
	x := planner.NewIndex(w.planner(t))
	if x.With(nil) != x || x.With(overlay([]booking{{end: 1, instance: "i7"}})) != x {
		t.Error("an overlay without effect makes another index")
	}
	laid := x.With(overlay(w.standing))
	if laid == x || laid.With(overlay(w.standing)) != laid || laid.With(nil) != x {
		t.Error("an overlay is forgotten, or laid twice")
	}
	if instances(laid)[1] != instances(x)[1] || laid.Planner() != x.Planner() {
		t.Error("an instance without bookings is another")
	}
	if instances(laid)[0].Timeline("ram") != instances(x)[0].Timeline("ram") {
		t.Error("the planner shows the booking, and yet its timeline does not serve")
	}
	more := overlay(append(w.standing, booking{start: 5, end: 6, instance: "i1", id: "oc-2"}))
	if after := laid.With(more); instances(after)[0].Timeline("ram") != instances(x)[0].Timeline("ram") || instances(after)[1].Timeline("ram") == instances(x)[1].Timeline("ram") {
		t.Error("a booking of one instance is taken for one of another")
	}
}

// TestTimelinesOutliveOtherBookings: they are built anew where bookings changed, there alone, and
// weigh as much as before.
func TestTimelinesOutliveOtherBookings(t *testing.T) {
	t.Parallel()
	w := shown()
	w.standing[0].end = 20
	x := planner.NewIndex(w.planner(t))
	before := x.With(overlay(w.standing))
	kept, alone := instances(before)[0].Timeline("ram"), before.Weight()
	after := before.With(overlay(append(w.standing, booking{start: 5, end: 6, instance: "i1", id: "oc-2"})))
	if instances(after)[0].Timeline("ram") != kept {
		t.Error("a timeline is built again")
	}
	if after.Weight() < alone {
		t.Errorf("%d bytes, of which those taken over are %d", after.Weight(), alone)
	}
	weight := after.Weight()
	kept.Gaps(1)
	if after.Weight() <= weight {
		t.Error("gaps of a timeline that was taken over don't count")
	}
	w.standing[0].usage = amounts{"ram": 3}
	if changed := instances(after.With(overlay(w.standing)))[0].Timeline("ram"); changed == kept || changed.MaxUse(origin+10, origin+11) != 3 {
		t.Error("the timeline of another booking serves")
	}
}

// TestASlotIsItsBookingWhereverItLies: it no longer counts on its own instance when the booking comes
// to stand on another, where bookings stay the same too.
func TestASlotIsItsBookingWhereverItLies(t *testing.T) {
	t.Parallel()
	w := shown()
	other := booking{start: 1, end: 2, instance: "i0", usage: amounts{"ram": 1}, id: "oc-2"}
	x := planner.NewIndex(w.planner(t)).With(overlay([]booking{other}))
	if use := instances(x)[0].Timeline("ram").MaxUse(origin+1, origin+2); use != 3 {
		t.Errorf("a slot whose booking doesn't stand, and one that does, use %d", use)
	}
	w.standing[0].instance = "i1"
	x = x.With(overlay([]booking{other, w.standing[0]}))
	for n, want := range []planner.Amount{1, 2} {
		if use := instances(x)[n].Timeline("ram").MaxUse(origin+1, origin+2); use != want {
			t.Errorf("use of %s is %d, want %d", instances(x)[n].ID(), use, want)
		}
	}
}

// TestHugeSumsAreTakenBackWithoutBookings: what saturated is right again without slots that returned.
func TestHugeSumsAreTakenBackWithoutBookings(t *testing.T) {
	t.Parallel()
	w := world{capacities: map[string]amounts{"i0": {"ram": 5}}, slots: []booking{{start: 0, end: 30, usage: amounts{"ram": 3}}}}
	for range 30 {
		w.slots = append(w.slots, booking{start: 5, end: 20, usage: amounts{"ram": planner.MaxAmount}, id: "oc-1"})
	}
	w.standing = []booking{{start: 10, end: 12, instance: "i0", usage: amounts{"ram": 2}, id: "oc-1"}}
	ram := instances(w.index(t))[0].Timeline("ram")
	for at, want := range map[int64]planner.Amount{0: 3, 5: 3, 10: 5, 12: 3} {
		if got := ram.MaxUse(origin+at, origin+at+1); got != want {
			t.Errorf("use at %d = %d, want %d", at, got, want)
		}
	}
}

// TestConcurrentOverlays lays overlays over each other's indexes and asks; the race detector watches.
func TestConcurrentOverlays(t *testing.T) {
	t.Parallel()
	w := shown()
	x := planner.NewIndex(w.planner(t))
	var all sync.WaitGroup
	for n := range int64(8) {
		all.Go(func() {
			y := x
			for k := range int64(50) {
				b := booking{start: 10 + (n+k)%5, end: 20, instance: "i1", usage: amounts{"ram": 3}, id: "oc-2", owner: "s-2"}
				y = y.With(overlay([]booking{w.standing[0], b}))
				i := instances(y)[1]
				if start, ok := i.Timeline("ram").Gaps(2).Earliest(origin+9, 9); !ok || start != origin+20 {
					t.Errorf("Earliest = %d, %t", start-origin, ok)
				}
				if got, planners := i.Takers("ram", origin+15, origin+16); !reflect.DeepEqual(got, []string{"s-2"}) || planners {
					t.Errorf("taken by %v, %t", got, planners)
				}
			}
		})
	}
	all.Wait()
}
