package booking_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// crowd is a peer with one instance of 64 units and n bookings of 1 to 16 units over 366 days, which
// take load of it on average.
func crowd(b *testing.B, r *rand.Rand, peer string, n int, load float64) *planner.Index {
	b.Helper()
	const horizon = 366 * 86400
	mean := load * 64 * horizon / (float64(n) * 8.5)
	var slots []map[string]any
	for range n {
		start := r.IntN(horizon)
		slots = append(slots, map[string]any{
			"start": epoch.Add(time.Duration(start) * time.Second), "end": epoch.Add(time.Duration(start+1+r.IntN(int(2*mean))) * time.Second),
			"instance_id": "i0", "usage": amounts{"units": 1 + r.IntN(16)},
		})
	}
	p, err := planner.Decode(encode(map[string]any{
		"peer_id": peer, "generated_at": epoch,
		"capacities": map[string]any{"cluster": map[string]any{"i0": amounts{"units": 64}}}, "schedule": map[string]any{"cluster": slots},
	}), nil)
	if err != nil {
		b.Fatal(err)
	}
	return planner.NewIndex(p)
}

// joint is a workflow that needs units of each of k peers' clusters, all at once, or in so many steps of
// half a minute one after the other.
func joint(b *testing.B, k, units, steps int) *workflow.Workflow {
	b.Helper()
	items, links := map[string]any{}, []any{}
	for i := range k {
		items[fmt.Sprint("n", i)] = map[string]any{"compute": map[string]any{"id": "cluster", "peer_id": fmt.Sprint("peer-", i), "demand": amounts{"units": units}}}
		if steps > 0 {
			links = append(links, link(fmt.Sprint("step ", i%steps), fmt.Sprint("n", i)))
		}
	}
	for i := range steps {
		items[fmt.Sprint("step ", i)] = lasting(int(30 * time.Second))
		if i > 0 {
			links = append(links, link(fmt.Sprint("step ", i-1), fmt.Sprint("step ", i)))
		}
	}
	w, err := workflow.Decode(encode(map[string]any{"id": "w", "graph": map[string]any{"items": items, "links": links}}))
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkJoint searches one window for 16 resources of 10,000 bookings each, 75 % booked.
func BenchmarkJoint(b *testing.B) { benchmarkJoint(b, 0) }

// BenchmarkSteps is BenchmarkJoint of resources that are needed four at a time.
func BenchmarkSteps(b *testing.B) { benchmarkJoint(b, 4) }

func benchmarkJoint(b *testing.B, steps int) {
	r := rand.New(rand.NewPCG(1, 2))
	indexes := map[string]*planner.Index{}
	for i := range 16 {
		indexes[fmt.Sprint("peer-", i)] = crowd(b, r, fmt.Sprint("peer-", i), 10_000, 0.75)
	}
	w := joint(b, 16, 8, steps)
	index := func(peerID string) *planner.Index { return indexes[peerID] }
	windows := make([]booking.Window, 4096)
	for i := range windows {
		start := epoch.Add(time.Duration(r.IntN(300*86400)) * time.Second).UnixNano()
		windows[i] = booking.Window{Start: start, End: start + int64(time.Minute)*int64(2+r.IntN(60)), From: start}
	}
	p := problem(b, w, index, nil)
	answer(b, p, windows[0])
	b.Run("first", func(b *testing.B) { // the gap lists exist, the joint one does not
		b.ReportAllocs()
		for b.Loop() {
			booking.Earliest(problem(b, w, index, nil), windows[0].Start, int64(time.Hour))
		}
	})
	b.Run("warm", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			booking.Earliest(p, windows[i%4096].Start, windows[i%4096].End-windows[i%4096].Start)
			i++
		}
	})
	b.Run("check", func(b *testing.B) { // the whole answer, conflicts included
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			answer(b, p, windows[i%4096])
			i++
		}
	})
}

// BenchmarkCheck answers random windows of one resource with 1,000 bookings, encoded for the client.
func BenchmarkCheck(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x := crowd(b, r, "peer-0", 1000, 0.5)
	p := problem(b, joint(b, 1, 8, 0), func(string) *planner.Index { return x }, nil)
	b.ReportAllocs()
	for b.Loop() {
		start := epoch.Add(time.Duration(r.IntN(300*86400)) * time.Second).UnixNano()
		answer(b, p, booking.Window{Start: start, End: start + int64(time.Hour), From: start}).JSON()
	}
}

// BenchmarkCheckBooked is BenchmarkCheck of an instance that is free, and of one with as much on it: slots of others, bookings
// of ours that the planner shows, and bookings that it does not. The limit is 1.1 times what it takes where it is free.
func BenchmarkCheckBooked(b *testing.B) {
	draw := rand.New(rand.NewPCG(1, 2))
	free := &resource{instances: map[string]amounts{"i0": {"units": 64}}}
	others, shown, hidden := &resource{instances: free.instances}, &resource{}, &resource{}
	for range 1000 {
		start := draw.IntN(366*86400) * int(time.Second)
		others.slots = append(others.slots, slot{start, start + draw.IntN(20*3600)*int(time.Second), "i0", amounts{"units": 1 + draw.IntN(16)}})
	}
	*shown, *hidden = *others, *others
	shown.ours, hidden.ours = map[int]ours{}, map[int]ours{}
	for n := range others.slots {
		owner := fmt.Sprint("s-", n)
		shown.ours[n], hidden.ours[n] = ours{shown: true, owner: owner}, ours{owner: owner}
	}
	wf := (&world{items: []item{{id: "n0", peer: "p", resource: "cluster", demand: amounts{"units": 8}}}}).workflow()
	for _, c := range []struct {
		name string
		on   *resource
	}{{"free", free}, {"others", others}, {"shown", shown}, {"hidden", hidden}} {
		w := &world{peers: map[string]map[string]*resource{"p": {"cluster": c.on}}}
		x := w.planner("p")
		b.Run(c.name, func(b *testing.B) {
			p := problem(b, wf, func(string) *planner.Index { return x }, nil)
			r := rand.New(rand.NewPCG(3, 4))
			b.ReportAllocs()
			for b.Loop() {
				start := epoch.Add(time.Duration(r.IntN(300*86400)) * time.Second).UnixNano()
				answer(b, p, booking.Window{Start: start, End: start + int64(time.Hour), From: start}).JSON()
			}
		})
	}
}

// BenchmarkDecodeRequest reads what clients mostly send.
func BenchmarkDecodeRequest(b *testing.B) {
	data := []byte(`{"start":"2026-12-01T09:00:00Z","duration_s":3600}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := booking.DecodeRequest(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkManyInstances searches among 100 instances for several items of one resource, the case
// where the greedy placement itself has to be followed.
func BenchmarkManyInstances(b *testing.B) {
	w := &world{peers: map[string]map[string]*resource{"p": {"r": {instances: map[string]amounts{}}}}}
	r := rand.New(rand.NewPCG(1, 2))
	res := w.peers["p"]["r"]
	for i := range 100 {
		name := fmt.Sprintf("i%02d", i)
		res.instances[name] = amounts{"a": 8}
		for t := range 100 {
			start := t*10_000 + r.IntN(1000)
			res.slots = append(res.slots, slot{start, start + 9_000, name, amounts{"a": 1 + r.IntN(8)}})
		}
	}
	for i := range 10 {
		w.items = append(w.items, item{id: fmt.Sprint("n", i), peer: "p", resource: "r", demand: amounts{"a": 8}})
	}
	x := w.planner("p")
	p := problem(b, w.workflow(), func(string) *planner.Index { return x }, nil)
	b.ReportAllocs()
	for b.Loop() {
		start := epoch.UnixNano() + int64(r.IntN(900_000))
		answer(b, p, booking.Window{Start: start, End: start + 2_500, From: start})
	}
}
