package planner_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

// checkWorlds runs a property in many worlds.
func checkWorlds(t *testing.T, property func(t *rapid.T, w world, twins []twin)) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		property(rt, w, w.twins(t))
	})
}

// moment is a time in a world, or shortly before or after it.
func moment(t *rapid.T, label string) int64 { return rapid.Int64Range(-5, worldEnd+5).Draw(t, label) }

func TestMaxUse(t *testing.T) {
	t.Parallel()
	checkWorlds(t, func(t *rapid.T, _ world, twins []twin) {
		start, end := moment(t, "start"), moment(t, "end")
		for _, w := range twins {
			var want planner.Amount
			for now := start; now < end; now++ {
				want = max(want, w.use(now))
			}
			if got := w.MaxUse(origin+start, origin+end); got != want {
				t.Fatalf("%s: MaxUse(%d, %d) = %d, want %d", w.name, start, end, got, want)
			}
			if w.Capacity() != w.capacity {
				t.Fatalf("%s: Capacity = %d, want %d", w.name, w.Capacity(), w.capacity)
			}
		}
	})
}

func TestSteps(t *testing.T) {
	t.Parallel()
	checkWorlds(t, func(t *rapid.T, _ world, twins []twin) {
		start, end := moment(t, "start"), moment(t, "end")
		for _, w := range twins {
			next, before := start, planner.Amount(-1)
			for step, use := range w.Steps(origin+start, origin+end) {
				if step.Start-origin != next || step.End <= step.Start || use == before {
					t.Fatalf("%s: step %v of %d after %d, %d", w.name, step, use, next, before)
				}
				for ; next < step.End-origin; next++ {
					if want := w.use(next); use != want {
						t.Fatalf("%s: use at %d is %d, want %d", w.name, next, use, want)
					}
				}
				before = use
			}
			if next != max(start, end) {
				t.Fatalf("%s: steps end at %d, want %d", w.name, next, end)
			}
		}
	})
}

func TestStepsCanBeLeft(t *testing.T) {
	t.Parallel()
	w := world{capacities: map[string]amounts{"i0": {"ram": 4}}, slots: []booking{{start: 2, end: 4}}}
	n := 0
	for range w.index(t).Resource("r").Instances()[0].Timeline("ram").Steps(origin, origin+9) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d steps", n)
	}
}

func TestEarliestAndUntil(t *testing.T) {
	t.Parallel()
	checkWorlds(t, func(t *rapid.T, _ world, twins []twin) {
		n := drawNeed(t, twins)
		checkGaps(t, n.Gaps(n.amount), func(now int64) bool { return n.free(n.amount, now) })
	})
}

func TestIntersect(t *testing.T) {
	t.Parallel()
	checkWorlds(t, func(t *rapid.T, _ world, twins []twin) {
		var needs []need
		var gaps []*planner.Gaps
		for range rapid.IntRange(0, 5).Draw(t, "needs") {
			n := drawNeed(t, twins)
			needs, gaps = append(needs, n), append(gaps, n.Gaps(n.amount))
		}
		checkGaps(t, planner.Intersect(gaps...), func(now int64) bool {
			for _, n := range needs {
				if !n.free(n.amount, now) {
					return false
				}
			}
			return true
		})
	})
}

// checkGaps asks everything of gaps and compares with free, moment by moment. After the world's end
// nothing changes any more.
func checkGaps(t *rapid.T, gaps *planner.Gaps, free func(t int64) bool) {
	until := func(now int64) int64 { // end of the free time that begins at now
		for ; now <= worldEnd; now++ {
			if !free(now) {
				return now
			}
		}
		return math.MaxInt64 - origin
	}
	for now := int64(-3); now < worldEnd+3; now++ {
		end, ok := gaps.Until(origin + now)
		if ok != free(now) || ok && end != origin+until(now) {
			t.Fatalf("Until(%d) = %d, %v", now, end-origin, ok)
		}
	}
	for _, d := range []int64{0, 1, 2, rapid.Int64Range(3, 50).Draw(t, "length"), math.MaxInt64} {
		for now := int64(-3); now < worldEnd+3; now++ {
			want := now
			for want <= worldEnd && (!free(want) || until(want) < math.MaxInt64-origin && until(want)-want < d) {
				want++
			}
			possible := free(max(want, worldEnd))
			start, ok := gaps.Earliest(origin+now, d)
			if ok != (want <= worldEnd || possible) || ok && start != origin+want {
				t.Fatalf("Earliest(%d, %d) = %d, %v, want %d, %v", now, d, start-origin, ok, want, possible)
			}
		}
	}
}

// TestHugeSumsAreTakenBack books more than an Amount can tell, and finds the rest right afterwards.
func TestHugeSumsAreTakenBack(t *testing.T) {
	t.Parallel()
	w := world{capacities: map[string]amounts{"i0": {"ram": 5}}, slots: []booking{{start: 0, end: 30, usage: amounts{"ram": 3}}}}
	for i := range int64(30) {
		w.slots = append(w.slots, booking{start: i % 10, end: 20 - i%5, usage: amounts{"ram": planner.MaxAmount}})
	}
	ram := w.index(t).Resource("r").Instances()[0].Timeline("ram")
	if got := ram.MaxUse(origin, origin+30); got != math.MaxInt64 {
		t.Errorf("use of 30 largest amounts = %d", got)
	}
	if got := ram.MaxUse(origin+20, origin+30); got != 3 {
		t.Errorf("use afterwards = %d, want 3", got)
	}
	if start, ok := ram.Gaps(2).Earliest(origin, 5); !ok || start != origin+20 {
		t.Errorf("Earliest = %d, %v, want 20", start-origin, ok)
	}
}

// TestLargeTimelines compares the trees with a walk along the steps, where there are thousands.
func TestLargeTimelines(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for _, l := range loads {
		w := timelineOf(mustDecode(t, bookedPlanner(r, 2000, l.booked)))
		for _, q := range questions(r, 2000, l)[:400] {
			var most planner.Amount
			for _, use := range w.Steps(q.start, q.start+q.length) {
				most = max(most, use)
			}
			if got := w.MaxUse(q.start, q.start+q.length); got != most {
				t.Fatalf("%s: MaxUse(%v) = %d, want %d", l.name, q, got, most)
			}
			if start, ok := w.Gaps(q.amount).Earliest(q.start, q.length); !ok || start != walk(w, q) {
				t.Fatalf("%s: Earliest(%v) = %d, %v, want %d", l.name, q, start, ok, walk(w, q))
			}
		}
	}
}

// walk goes along the steps until enough was free for long enough.
func walk(w *planner.Timeline, q question) int64 {
	start := q.start
	for step, use := range w.Steps(q.start, math.MaxInt64) {
		switch {
		case use+q.amount > w.Capacity():
			start = step.End
		case step.End-start >= q.length:
			return start
		}
	}
	return start
}
