package check_test

import (
	"testing"

	"oc-scheduler/streams/check"
)

// BenchmarkFanout is one change of a planner told to a thousand streams that ask the same.
func BenchmarkFanout(b *testing.B) {
	w := newWorld(fixedNow)
	w.putWorkflow(b, "wf", 4, "p")
	streams := make([]*check.Stream, 1000)
	for i := range streams {
		streams[i] = w.open(b, "wf")
		streams[i].Submit(hour())
		next(b, streams[i])
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w.putPlanner(b, "p", i)
		for _, st := range streams {
			next(b, st)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(streams)), "ns/frame")
}
