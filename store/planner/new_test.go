package planner_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

// TestNewAndDecodeAgree on what a planner is.
func TestNewAndDecodeAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		w.slots, w.built, w.composed = w.withCapacities(), true, false // warnings name the peer
		built := w.planner(t)
		w.built = false
		if decoded := w.planner(t); built.Digest() != decoded.Digest() {
			rt.Fatalf("%s is built as %+v, decoded as %+v", w.json(), built, decoded)
		}
	})
}

// TestNewFindsFaults: each of them, where it is.
func TestNewFindsFaults(t *testing.T) {
	t.Parallel()
	hours := func(from, to int64) planner.Interval { return planner.Interval{Start: from * hour, End: to * hour} }
	_, err := planner.New(map[planner.Ref][]planner.Quantity{
		ref("i"): {{Dimension: "ram", Amount: -1}, {Dimension: "a", Amount: planner.MaxAmount + 1}, {Amount: 1}, {Dimension: "b"}, {Dimension: "b"}},
	}, map[planner.Ref][]planner.Slot{ref("i"): {
		{Interval: hours(2, 1)},
		{Interval: planner.Interval{Start: math.MinInt64, End: 0}},
		{Interval: hours(1, 2), Usage: []planner.Quantity{{Dimension: "ram", Amount: -1}}},
	}})
	const want = "$.capacities.r.i.ram: invalid amount: negative; $.capacities.r.i.a: invalid amount: above 1000000000000000; " +
		"$.capacities.r.i['']: a dimension's name has 1 to 256 bytes; $.capacities.r.i: dimension \"b\" is named twice; " +
		"$.schedule.r[0]: ends before it starts; $.schedule.r[1]: a time outside 1677-09-21T00:12:44Z to 2262-04-11T23:47:16Z; " +
		"$.schedule.r[2].ram: invalid amount: negative"
	if err == nil || err.Error() != want {
		t.Errorf("New = %v", err)
	}
	for _, bad := range []planner.Ref{{}, {ResourceID: "r\n"}, {ResourceID: "r", InstanceID: "\xff"}} {
		if _, err := planner.New(map[planner.Ref][]planner.Quantity{bad: nil}, nil); err == nil {
			t.Errorf("capacities of %q are taken", bad)
		}
		if _, err := planner.New(nil, map[planner.Ref][]planner.Slot{bad: nil}); err == nil {
			t.Errorf("slots of %q are taken", bad)
		}
	}
}
