package booking_test

import (
	"fmt"
	"strings"
	"testing"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
)

// hostileWorld is one resource of n instances that share busy slots of one unit, and items that each
// ask for another amount, so that nothing of one can serve for the next.
func hostileWorld(instances, slots, items, dimensions int) *world {
	r := &resource{instances: map[string]amounts{}}
	for i := range instances {
		r.instances[fmt.Sprintf("i%05d", i)] = amounts{"a": 1_000_000}
	}
	for i := range slots {
		r.slots = append(r.slots, slot{2 * i, 2*i + 1, "", amounts{"a": 999_999}})
	}
	w := &world{peers: map[string]map[string]*resource{"p": {"r": r}}}
	for i := range items {
		demand := amounts{"a": 2 + i}
		for d := range dimensions {
			demand[fmt.Sprint("d", d)] = 1
		}
		w.items = append(w.items, item{id: fmt.Sprintf("n%05d", i), peer: "p", resource: "r", demand: demand})
	}
	return w
}

// alternating is n instances, busy at different times, and one item more than there are instances: a
// search finds something changed at every slot, and never room for all.
func alternating(instances, slots int) *world {
	r := &resource{instances: map[string]amounts{}}
	for i := range instances {
		name := fmt.Sprintf("i%05d", i)
		r.instances[name] = amounts{"a": 1}
		for s := range slots {
			start := (s*instances + i) * 10
			r.slots = append(r.slots, slot{start, start + 5, name, nil})
		}
	}
	w := &world{peers: map[string]map[string]*resource{"p": {"r": r}}}
	for i := range instances + 1 {
		w.items = append(w.items, item{id: fmt.Sprintf("n%05d", i), peer: "p", resource: "r", demand: nil})
	}
	return w
}

// nested is a workflow of so many steps on one instance, each of which begins before those by lesser ids and
// ends after them.
func nested(items int) *world {
	w := hostileWorld(1, 0, items, 0)
	for i := range w.items {
		w.items[i].demand = amounts{"a": 1}
		w.items[i].from, w.items[i].to = items-i, items+i+1
	}
	return w
}

// TestHostileChecksEnd: whatever is asked of whatever, the answer is a result or a fault, bounded in
// work and in size. Without the bounds these take minutes and gigabytes.
func TestHostileChecksEnd(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		w      *world
		length int64
		says   string // in a warning or the fault
		fault  bool
	}{
		"conflicts of all items on all instances": {hostileWorld(50, 5000, 500, 0), 10_000, "more conflicts than are listed", false},
		"a search among many instances":           {alternating(100, 900), 3, "search for a window was given up", false},
		"unlike items on ever so many instances":  {hostileWorld(5000, 1, 5000, 0), 10_000, "too many items", true},
		"steps that all meet on one instance":     {nested(4000), 10_000, "too many items", true},
		"needs of many dimensions":                {hostileWorld(2000, 1, 100, 200), 10_000, "too many items", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := tc.w.planner("p")
			p, err := booking.NewProblem(tc.w.workflow(), func(string) *planner.Index { return x }, nil)
			var r *booking.Result
			if err == nil {
				start := epoch.UnixNano()
				r, err = p.Check(booking.Window{Start: start, End: start + tc.length, From: start})
			}
			if (err != nil) != tc.fault {
				t.Fatalf("error %v", err)
			}
			said := fmt.Sprint(err)
			if err == nil {
				said = strings.Join(r.Warnings, "\n")
				if n := len(r.JSON()); n > 4<<20 {
					t.Errorf("a result of %d bytes", n)
				}
			}
			if !strings.Contains(said, tc.says) {
				t.Errorf("says %.300q", said)
			}
		})
	}
}

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	w := hostileWorld(1, 0, 300, 0)
	for i := range w.items {
		w.items[i].resource = "s"
	}
	r := answer(t, problem(t, w.workflow(), w.planner, nil), booking.Window{Start: epoch.UnixNano(), End: epoch.UnixNano() + 1, From: epoch.UnixNano()})
	if n := len(r.Warnings); n != 101 || r.Warnings[100] != "and more" {
		t.Errorf("%d warnings", n)
	}
}

// TestLongWorkflowsAreNoneTooLarge: thousands of steps, some at a time, on a hundred instances.
func TestLongWorkflowsAreNoneTooLarge(t *testing.T) {
	t.Parallel()
	w := hostileWorld(100, 0, 0, 0)
	const steps = 4000
	for i := range steps {
		w.items = append(w.items, item{
			id: fmt.Sprintf("n%05d", i), peer: "p", resource: "r", demand: amounts{"a": 1_000_000 - i}, from: i / 100, to: i/100 + 2,
		})
	}
	w.items = w.items[:steps/2+steps/4] // every other hundred has to wait for those before: there is no room for them
	r := answer(t, problem(t, w.workflow(), w.planner, nil), booking.Window{Start: epoch.UnixNano(), End: epoch.UnixNano() + 100, From: epoch.UnixNano()})
	placed := 0
	for _, res := range r.Resources {
		if res.Status == booking.Available {
			placed++
		}
	}
	if placed != len(w.items)/2 {
		t.Errorf("%d of %d items placed", placed, len(w.items))
	}
}

// TestLikeItemsAreCheap: a thousand equal items on a thousand instances take no budget to speak of.
func TestLikeItemsAreCheap(t *testing.T) {
	t.Parallel()
	w := hostileWorld(3000, 0, 0, 0)
	for i := range 9000 {
		w.items = append(w.items, item{id: fmt.Sprintf("n%05d", i), peer: "p", resource: "r", demand: amounts{"a": 400_000}}) // two on each instance
	}
	r := answer(t, problem(t, w.workflow(), w.planner, nil), booking.Window{Start: epoch.UnixNano(), End: epoch.UnixNano() + 1, From: epoch.UnixNano()})
	placed := 0
	for _, res := range r.Resources {
		if res.Status == booking.Available {
			placed++
		}
	}
	if placed != 6000 {
		t.Errorf("%d of 9000 items placed, want two on each of 3000 instances", placed)
	}
}
