package planner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/planner"
)

// The benchmarks ask one dimension of 64 units that is booked at random over a year.
const (
	hour = int64(time.Hour)
	year = 366 * 24 * hour
	have = 64

	cores = "cpu_cores.x86_64"
)

// load is a world: how much is booked on average, how long and how large requests are.
type load struct {
	name    string
	booked  float64        // units
	longest float64        // request, in mean slot lengths
	most    planner.Amount // units of a request
}

var loads = []load{
	{"half-booked", 32, 4, 16},
	{"crowded", 58, 4, 16},
	{"hard", 58, 60, 48}, // most answers lie far away, or after the last slot
}

var origin = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC).UnixNano()

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// second is the second of a moment: bookings are seldom finer.
func second(ns int64) string { return stamp(ns / int64(time.Second) * int64(time.Second)) }

// meanLength is how long slots of 8.5 units on average must be for n of them to book that much.
func meanLength(n int, booked float64) float64 { return booked * float64(year) / (8.5 * float64(n)) }

// bookedPlanner is a planner of one instance "i" of the resource "r" with n slots, as JSON.
func bookedPlanner(r *rand.Rand, n int, booked float64) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"peer_id":"p","generated_at":"2026-12-01T00:00:00Z","capacities":{"r":{"i":{"cpu_cores":{"x86_64":%d}}}},"schedule":{"r":[`, have)
	for i := range n {
		start := origin + r.Int64N(year)
		end := start + 1 + r.Int64N(int64(2*meanLength(n, booked)))
		fmt.Fprintf(&b, `%s{"start":%q,"end":%q,"instance_id":"i","booking_id":"b-%d","usage":{"cpu_cores":{"x86_64":%d}}}`,
			strings.Repeat(",", min(i, 1)), second(start), second(end), i, 1+r.IntN(16))
	}
	return []byte(b.String() + "]}}")
}

func mustDecode(tb testing.TB, data []byte) *planner.Planner {
	tb.Helper()
	p, err := planner.Decode(data, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func timelineOf(p *planner.Planner) *planner.Timeline {
	return planner.NewIndex(p).Resource("r").Instances()[0].Timeline(cores)
}

type question struct {
	start, length int64
	amount        planner.Amount
}

func questions(r *rand.Rand, n int, l load) []question {
	list := make([]question, 4096)
	for i := range list {
		list[i] = question{
			origin + r.Int64N(year), 1 + r.Int64N(int64(l.longest*meanLength(n, l.booked))),
			planner.Unit * (1 + planner.Amount(r.Int64N(int64(l.most)))),
		}
	}
	return list
}

// eachWorld measures a question in all worlds and sizes; prepare runs before the clock does.
func eachWorld(b *testing.B, prepare func(p *planner.Planner) (ask func(q question))) {
	b.Helper()
	for _, l := range loads {
		for _, n := range []int{1000, 10_000} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			p, list := mustDecode(b, bookedPlanner(r, n, l.booked)), questions(r, n, l)
			b.Run(fmt.Sprintf("%s/n=%d", l.name, n), func(b *testing.B) {
				b.ReportAllocs()
				ask := prepare(p)
				for i := 0; b.Loop(); i++ {
					ask(list[i%len(list)])
				}
			})
		}
	}
}

func BenchmarkEarliestFit(b *testing.B) {
	eachWorld(b, func(p *planner.Planner) func(question) {
		instance := planner.NewIndex(p).Resource("r").Instances()[0]
		for amount := range planner.Amount(have) {
			instance.Timeline(cores).Gaps(planner.Unit * (1 + amount))
		}
		return func(q question) { instance.Timeline(cores).Gaps(q.amount).Earliest(q.start, q.length) }
	})
}

func BenchmarkWindowFree(b *testing.B) {
	eachWorld(b, func(p *planner.Planner) func(question) {
		instance := planner.NewIndex(p).Resource("r").Instances()[0]
		return func(q question) { instance.Timeline(cores).MaxUse(q.start, q.start+q.length) }
	})
}

// BenchmarkIndexCold is the first question to a planner: its timeline, gaps, and the answer.
func BenchmarkIndexCold(b *testing.B) {
	eachWorld(b, func(p *planner.Planner) func(question) {
		return func(q question) { timelineOf(p).Gaps(q.amount).Earliest(q.start, q.length) }
	})
}

// BenchmarkGapsCold is the first question for an amount.
func BenchmarkGapsCold(b *testing.B) {
	eachWorld(b, func(p *planner.Planner) func(question) {
		t, amount := timelineOf(p), 8*planner.Unit
		return func(question) {
			amount = 8*planner.Unit + (amount+1)%planner.Unit // more amounts than are kept
			t.Gaps(amount)
		}
	})
}

// sixteen are the gaps of 8 units in as many planners of 10 000 slots, booked at 75 %.
func sixteen(b *testing.B) ([]*planner.Gaps, []question) {
	b.Helper()
	r := rand.New(rand.NewPCG(2, 16))
	gaps := make([]*planner.Gaps, 16)
	for i := range gaps {
		gaps[i] = timelineOf(mustDecode(b, bookedPlanner(r, 10_000, 48))).Gaps(8 * planner.Unit)
	}
	return gaps, questions(r, 10_000, load{"", 48, 0.5, 16})
}

func BenchmarkIntersect16(b *testing.B) {
	gaps, _ := sixteen(b)
	b.ReportAllocs()
	for b.Loop() {
		planner.Intersect(gaps...)
	}
}

func BenchmarkJointFit16(b *testing.B) {
	gaps, ask := sixteen(b)
	joint := planner.Intersect(gaps...)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		joint.Earliest(ask[i%len(ask)].start, ask[i%len(ask)].length)
	}
}

func benchmarkDecode(b *testing.B, n int) {
	b.Helper()
	data := bookedPlanner(rand.New(rand.NewPCG(3, 3)), n, 32)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		mustDecode(b, data)
	}
}

func BenchmarkDecode2000Slots(b *testing.B) { benchmarkDecode(b, 2000) }
func BenchmarkDecode11Slots(b *testing.B)   { benchmarkDecode(b, 11) }
