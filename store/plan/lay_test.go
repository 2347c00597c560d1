package plan

import (
	"math"
	"testing"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
)

// TestWhatIsLeftOutIsNobodyElses: a booking that does not count is no slot of others where the planner shows it.
func TestWhatIsLeftOutIsNobodyElses(t *testing.T) {
	t.Parallel()
	ref := planner.Ref{ResourceID: "r", InstanceID: "i"}
	slot := planner.Slot{
		Interval: planner.Interval{Start: 10, End: 20}, BookingID: "oc-1", Owner: "s-1",
		Usage: []planner.Quantity{{Dimension: "ram_gb", Amount: 4}},
	}
	shown, err := planner.New(map[planner.Ref][]planner.Quantity{ref: {{Dimension: "ram_gb", Amount: 8}}}, map[planner.Ref][]planner.Slot{ref: {slot}})
	if err != nil {
		t.Fatal(err)
	}
	in := planner.NewIndex(shown).Resource("r").Instance("i")
	p := &Plan{taken: newStanding()}
	use := func(q Question) (use planner.Amount) {
		_ = p.Look(q, func(of func(string) planner.Bookings) error {
			use = in.MaxUse("ram_gb", slot.Interval, of("p"))
			return nil
		})
		return use
	}
	if got := use(Question{At: 5}); got != 4 {
		t.Errorf("what the planner shows of nobody known takes %v", got)
	}
	p.taken.replace(kv.KeyOf("p", "r", "i", "s-1"), nil, &entry{slots: []planner.Slot{slot}, until: math.MaxInt64})
	if got := use(Question{At: 5}); got != 4 {
		t.Errorf("a booking that the planner shows takes %v", got)
	}
	if got := use(Question{At: 5, Without: func(o Owner) bool { return o.ID == "s-1" }}); got != 0 {
		t.Errorf("a booking that is left out takes %v", got)
	}
}
