package planner_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"oc-scheduler/store/planner"
)

// ours are n bookings of ours at random over the year, short beside the planner's slots.
func ours(r *rand.Rand, n int) (slots []planner.Slot) {
	for i := range n {
		start := origin + r.Int64N(year)
		slots = append(slots, planner.Slot{
			Interval:  planner.Interval{Start: start, End: start + 1 + r.Int64N(hour)},
			BookingID: fmt.Sprintf("oc-%d", i), Usage: []planner.Quantity{{Dimension: cores, Amount: planner.Unit * planner.Amount(1+r.IntN(16))}},
		})
	}
	return slots
}

var at = planner.Ref{ResourceID: "r", InstanceID: "i"}

// laid is an overlay of slots on one instance.
func laid(slots []planner.Slot) *planner.Overlay {
	list := make([]*planner.Slot, len(slots))
	for i := range slots {
		list[i] = &slots[i]
	}
	return planner.NewOverlay(map[planner.Ref][]*planner.Slot{at: list})
}

// withOurs measures an index of 10 000 slots without an overlay, and with 0, 10 and 1 000 bookings;
// prepare runs before the clock does.
func withOurs(b *testing.B, prepare func(x *planner.Index) (ask func(q question))) {
	b.Helper()
	const n = 10_000
	l := loads[1]
	r := rand.New(rand.NewPCG(1, n))
	alone, list := planner.NewIndex(mustDecode(b, bookedPlanner(r, n, l.booked))), questions(r, n, l)
	measure := func(name string, x *planner.Index) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ask := prepare(x)
			for i := 0; b.Loop(); i++ {
				ask(list[i%len(list)])
			}
		})
	}
	measure("without", alone)
	for _, k := range []int{0, 10, 1000} {
		measure(fmt.Sprintf("ours=%d", k), alone.With(laid(ours(r, k))))
	}
}

func BenchmarkOverlayEarliestFit(b *testing.B) {
	withOurs(b, func(x *planner.Index) func(question) {
		instance := x.Resource("r").Instance("i")
		for amount := range planner.Amount(have) {
			instance.Timeline(cores).Gaps(planner.Unit * (1 + amount))
		}
		return func(q question) { instance.Timeline(cores).Gaps(q.amount).Earliest(q.start, q.length) }
	})
}

func BenchmarkOverlayWindowFree(b *testing.B) {
	withOurs(b, func(x *planner.Index) func(question) {
		instance := x.Resource("r").Instance("i")
		return func(q question) { instance.Timeline(cores).MaxUse(q.start, q.start+q.length) }
	})
}

// BenchmarkOverlayChanged is the first question after a booking came to 1 000 others: the overlay, the
// timeline, gaps, and the answer.
func BenchmarkOverlayChanged(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x := planner.NewIndex(mustDecode(b, bookedPlanner(r, 10_000, 32)))
	x.Resource("r").Instance("i").Timeline(cores)
	slots := ours(r, 1001)
	o := laid(slots[:1000])
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		o = o.With(at, slots[1000].BookingID, slots[1000:1000+i%2])
		x = x.With(o)
		x.Resource("r").Instance("i").Timeline(cores).Gaps(8*planner.Unit).Earliest(origin, hour)
	}
}

// BenchmarkOverlayTakers asks who takes something in a window.
func BenchmarkOverlayTakers(b *testing.B) {
	withOurs(b, func(x *planner.Index) func(question) {
		instance := x.Resource("r").Instance("i")
		return func(q question) { instance.Takers(cores, q.start, q.start+q.length) }
	})
}

// BenchmarkMemory20Slots tells how many bytes a decoded planner of 20 slots in two dimensions keeps,
// without bookings of ours and when all are.
func BenchmarkMemory20Slots(b *testing.B) {
	for _, id := range []string{"b-%d", "oc-0123456789abcdef%d"} {
		var doc strings.Builder
		doc.WriteString(`{"peer_id":"p","generated_at":"2026-12-01T00:00:00Z","capacities":{"r":{"i":{"cpu_cores":{"x86_64":64},"ram_gb":512}}},"schedule":{"r":[`)
		for i := range 20 {
			fmt.Fprintf(&doc, `%s{"start":%q,"end":%q,"instance_id":"i","booking_id":"`+id+`","usage":{"cpu_cores":{"x86_64":8},"ram_gb":%d}}`,
				strings.Repeat(",", min(i, 1)), stamp(origin+int64(i)*hour), stamp(origin+int64(i+9)*hour), i, 1+i)
		}
		data := []byte(doc.String() + "]}}")
		b.Run(id[:2], func(b *testing.B) { b.ReportMetric(keptBytes(b, data), "B/planner") })
	}
}

// keptBytes is what a planner decoded from data keeps.
func keptBytes(b *testing.B, data []byte) float64 {
	b.Helper()
	planners := make([]*planner.Planner, 2000)
	var before, after runtime.MemStats
	for b.Loop() {
		clear(planners)
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range planners {
			planners[i] = mustDecode(b, data)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
	}
	defer runtime.KeepAlive(planners)
	return float64(after.HeapAlloc-before.HeapAlloc) / float64(len(planners))
}
