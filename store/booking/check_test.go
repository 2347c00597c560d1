package booking_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/booking"
)

func TestCheckAgreesWithBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		wf := w.workflow()
		p := problem(t, wf, w.planner, w.selected)
		for range 3 { // windows on one problem: what it keeps must not leak from one to the next
			start, length := rapid.IntRange(0, span).Draw(t, "window"), rapid.IntRange(1, 13).Draw(t, "length")
			window := booking.Window{Start: at(start).UnixNano(), End: at(start + length).UnixNano(), From: at(start).UnixNano(), Preemption: rapid.Bool().Draw(t, "preemption")}
			if rapid.Bool().Draw(t, "as possible") {
				window.AsPossible, window.From = true, epoch.UnixNano()
			}
			compare(t, w, answer(t, p, window), start, length, window)
		}
	})
}

func compare(t *rapid.T, w *world, got *booking.Result, start, length int, window booking.Window) {
	if window.AsPossible {
		if first, ok := w.earliest(0, length); ok {
			start = first
		}
	}
	placement := w.place(start, length, false)
	status := booking.Available
	switch {
	case !complete(placement):
		status = booking.Unavailable
	case w.missing():
		status = booking.Unknown
	}
	preemptible := status == booking.Unavailable && window.Preemption && !w.missing() && complete(w.place(start, length, true))
	if got.Status != status || got.Preemptible != preemptible || got.Available != (preemptible || status == booking.Available) {
		t.Fatalf("status %s available %v preemptible %v, want %s, preemptible %v\n%v", got.Status, got.Available, got.Preemptible, status, preemptible, w)
	}
	if !got.Start.Equal(at(start)) || !got.End.Equal(at(start+length)) {
		t.Fatalf("window %v, want %v\n%v", got.Start.Sub(epoch), start, w)
	}
	if short := slices.ContainsFunc(got.Warnings, func(s string) bool { return strings.Contains(s, "longest path") }); short != (length < w.lasts()) {
		t.Fatalf("a window of %d ns: %q\n%v", length, got.Warnings, w)
	}
	next, ok := -1, false
	if status == booking.Unavailable && !window.AsPossible {
		next, ok = w.earliest(start, length)
	}
	if (got.NextSlot != nil) != ok || ok && (!got.NextSlot.Start.Equal(at(next)) || !got.NextSlot.End.Equal(at(next+length))) {
		t.Fatalf("next slot %v, want %v %v (from %d for %d)\n%v", got.NextSlot, next, ok, start, length, w)
	}
	compareItems(t, w, got, placement, start, length)
}

// compareItems replays the greedy placement and compares each item's answer.
func compareItems(t *rapid.T, w *world, got *booking.Result, placement map[string]string, start, length int) {
	taken := map[string][]placed{}
	for i, it := range w.items {
		r := got.Resources[i]
		instance, known := placement[it.id]
		from, to := it.within(start, length)
		switch {
		case r.ItemID != it.id:
			t.Fatalf("resource %d is %s", i, r.ItemID)
		case !r.Start.Equal(at(from)) || !r.End.Equal(at(to)):
			t.Fatalf("item %s needed from %v to %v, want from %d to %d\n%v", it.id, r.Start.Sub(epoch), r.End.Sub(epoch), from, to, w)
		case !known:
			if r.Status != booking.Unknown || len(r.Conflicts) > 0 {
				t.Fatalf("item without a planner: %+v\n%v", r, w)
			}
		case instance != "":
			if r.Status != booking.Available || r.InstanceID == nil || *r.InstanceID != instance || len(r.Conflicts) > 0 {
				t.Fatalf("item %s: %+v, want on %s\n%v", it.id, r, instance, w)
			}
			key := it.peer + "/" + it.resource + "/" + instance
			taken[key] = append(taken[key], placed{it.demand, from, to})
		default:
			compareConflicts(t, w, r, it, taken, from, to)
		}
	}
}

func compareConflicts(t *rapid.T, w *world, got booking.Resource, it item, taken map[string][]placed, from, to int) {
	var best string
	var want []string
	least := -1
	if r := w.peers[it.peer][it.resource]; r != nil {
		for _, name := range r.names() {
			if s := w.selected[it.resource]; s != "" && s != name {
				continue
			}
			list, time := w.conflicts(it, name, from, to, taken[it.peer+"/"+it.resource+"/"+name])
			if least < 0 || time < least {
				best, want, least = name, list, time
			}
		}
	}
	if best == "" {
		best = w.selected[it.resource]
	}
	name := ""
	if got.InstanceID != nil {
		name = *got.InstanceID
	}
	if got.Status != booking.Unavailable || name != best || !slices.Equal(written(got.Conflicts), want) {
		t.Fatalf("item %s on %q: %v\nwant %q: %v\n%v", it.id, name, written(got.Conflicts), best, want, w)
	}
}

// TestGreedyMayFitLater: an instance that gets worse can make the whole placement possible, one
// nanosecond after a gap became too short. n0 prefers i0 as long as it fits there; n1 fits only i0.
func TestGreedyMayFitLater(t *testing.T) {
	t.Parallel()
	w := &world{
		peers: map[string]map[string]*resource{"p": {"r": {
			instances: map[string]amounts{"i0": {"a": 4, "b": 3}, "i1": {"a": 4}},
			slots:     []slot{{10, 20, "i0", amounts{"a": 3}}},
		}}},
		items: []item{{id: "n0", peer: "p", resource: "r", demand: amounts{"a": 4}}, {id: "n1", peer: "p", resource: "r", demand: amounts{"a": 1, "b": 3}}},
	}
	start := epoch.UnixNano()
	got := answer(t, problem(t, w.workflow(), w.planner, nil), booking.Window{Start: start, End: start + 5, From: start})
	if got.NextSlot == nil || got.NextSlot.Start != at(6) {
		t.Errorf("next slot %v, want at 6 ns", got.NextSlot)
	}
}

func TestNextSlotStaysWithinTheHorizon(t *testing.T) {
	t.Parallel()
	w := &world{
		peers: map[string]map[string]*resource{"p": {"r": {instances: map[string]amounts{"i0": {"a": 1}}}}},
		items: []item{{id: "n0", peer: "p", resource: "r", demand: amounts{"a": 1}}},
	}
	for _, tc := range []struct {
		end  time.Duration
		want bool
	}{{booking.Horizon, true}, {booking.Horizon + 1, false}} {
		w.peers["p"]["r"].slots = []slot{{0, int(tc.end), "", nil}}
		start := epoch.UnixNano()
		got := answer(t, problem(t, w.workflow(), w.planner, nil), booking.Window{Start: start, End: start + 5, From: start})
		if (got.NextSlot != nil) != tc.want {
			t.Errorf("free after %v: next slot %v", tc.end, got.NextSlot)
		}
	}
}
