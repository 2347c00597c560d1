package planner_test

import (
	"slices"
	"testing"

	"oc-scheduler/store/planner"
)

func TestInventory(t *testing.T) {
	t.Parallel()
	has := []planner.Quantity{{Dimension: "cpu_cores.x86_64", Amount: 8 * planner.Unit}, {Dimension: "ram_gb", Amount: 1500}}
	p, err := planner.New(map[planner.Ref][]planner.Quantity{
		{ResourceID: "r2", InstanceID: "i1"}: has,
		{ResourceID: "r1", InstanceID: "i1"}: {{Dimension: "disk_gb", Amount: planner.Unit}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := planner.NewIndex(p)
	if got := x.Resources(); !slices.Equal(got, []string{"r1", "r2"}) {
		t.Errorf("resources %v", got)
	}
	if got := x.Resource("r2").Instance("i1").Capacities(); !slices.Equal(got, has) {
		t.Errorf("capacities %v", got)
	}
}
