package ui

import (
	"testing"
	"time"
)

// TestReasonsAreToldOnce, from the first begin to the last end, with each place once.
func TestReasonsAreToldOnce(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 12, 1, hour, 0, 0, 0, time.UTC) }
	short := func(from, to int, dimension string) Conflict {
		return Conflict{Start: at(from), End: at(to), Dimension: dimension, Requested: "8", Free: "2"}
	}
	reasons := reasonsOf(&Answer{
		Resources: []Placed{
			{ItemID: "a", InstanceID: "i", Conflicts: []Conflict{short(9, 10, "cores"), short(12, 13, "cores"), short(9, 10, "ram")}},
			{ItemID: "b", InstanceID: "i", Conflicts: []Conflict{short(8, 9, "cores")}},
		},
		Warnings: []string{`item "a \"x\": y": too much`, `item "b": too much`, "the search was given up"},
	}, &Answer{Start: at(1), End: at(2), MissingPlanners: []string{"p"}})
	type told struct {
		words    string
		count    int
		places   int
		from, to time.Time
	}
	want := []told{
		{"cores: 8 asked for, 2 free", 3, 2, at(8), at(13)},
		{"ram: 8 asked for, 2 free", 1, 1, at(9), at(10)},
		{"too much", 2, 2, time.Time{}, time.Time{}},
		{"the search was given up", 1, 0, time.Time{}, time.Time{}},
		{"no planner of p is known", 1, 0, at(1), at(2)},
	}
	if len(reasons) != len(want) {
		t.Fatalf("%d reasons, not %d", len(reasons), len(want))
	}
	for i, r := range reasons {
		if got := (told{r.Words, r.Count, len(r.Places), r.From, r.To}); got != want[i] {
			t.Errorf("told is %+v, not %+v", got, want[i])
		}
	}
}
