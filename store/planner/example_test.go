package planner_test

import (
	"fmt"
	"os"
	"time"

	"oc-scheduler/store/planner"
)

// A workflow wants 32 cores of instance i0 for three hours, from nine o'clock on.
func Example() {
	data, err := os.ReadFile("../../testdata/planners/two-instances.json")
	if err != nil {
		panic(err)
	}
	p, err := planner.Decode(data, nil)
	if err != nil {
		panic(err)
	}
	index := planner.NewIndex(p) // keep it as long as the planner
	cores := index.Resource("gpu-cluster").Instances()[0].Timeline("cpu_cores.x86_64")

	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	length := int64(3 * time.Hour)
	fmt.Println("free:", cores.Capacity().Minus(cores.MaxUse(start, start+length)))
	for step, used := range cores.Steps(start, start+length) {
		fmt.Println(clock(step.Start), "to", clock(step.End), "used:", used)
	}

	earliest, ok := cores.Gaps(32*planner.Unit).Earliest(start, length)
	fmt.Println("earliest:", clock(earliest), ok)
	// Output:
	// free: 24
	// 09:00 to 10:00 used: 40
	// 10:00 to 12:00 used: 0
	// earliest: 10:00 true
}

func clock(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04") }
