package planner_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"oc-scheduler/store/planner"
)

func TestIndexKeepsWhatItBuilt(t *testing.T) {
	t.Parallel()
	x := planner.NewIndex(mustDecode(t, fixture(t, "two-instances.json")))
	i := x.Resource("gpu-cluster").Instances()[0]
	before := x.Weight()
	ram := i.Timeline("ram_gb")
	gaps, occupancy := ram.Gaps(5), i.Occupancy()
	if i.Timeline("ram_gb") != ram || i.Occupancy() != occupancy || i.Timeline("cpu_cores.x86_64") == ram {
		t.Error("a timeline is built again, or taken for another")
	}
	if ram.Gaps(5) != gaps || ram.Gaps(500_000) == gaps {
		t.Error("gaps are built again, or taken for others")
	}
	if after := x.Weight(); after <= before {
		t.Errorf("weight %d after %d", after, before)
	}
	if x.Planner().PeerID() != "peer-a" {
		t.Error("an index of another planner")
	}
}

// TestGapsAreBounded asks for far more amounts than a timeline remembers.
func TestGapsAreBounded(t *testing.T) {
	t.Parallel()
	x := planner.NewIndex(mustDecode(t, fixture(t, "two-instances.json")))
	ram := x.Resource("gpu-cluster").Instances()[0].Timeline("ram_gb")
	weights := map[bool]int64{}
	for amount := range planner.Amount(500) {
		if start, ok := ram.Gaps(400*planner.Unit+amount).Earliest(0, 1); !ok || start != 0 {
			t.Fatalf("Earliest = %d, %v", start, ok)
		}
		weights[amount > 200] = max(weights[amount > 200], x.Weight())
	}
	if weights[true] > weights[false] || weights[true] < 64*100 {
		t.Errorf("weight grew from %d to %d", weights[false], weights[true])
	}
}

// TestIndexIsBounded asks hundreds of instances that share thousands of slots for the gaps of many amounts.
// What was handed out stays right when the index begins anew.
func TestIndexIsBounded(t *testing.T) {
	t.Parallel()
	const instances, slots, amounts, bound = 200, 2000, 40, 64<<20 + 1<<20
	var b strings.Builder
	for i := range instances {
		fmt.Fprintf(&b, `,"i%04d":{"ram":1}`, i)
	}
	capacities := b.String()[1:]
	b.Reset()
	for i := range slots {
		fmt.Fprintf(&b, `,{"start":%q,"end":%q}`, stamp(origin+int64(2*i)), stamp(origin+int64(2*i+1)))
	}
	data := with(`"capacities":{"r":{` + capacities + `}},"schedule":{"r":[` + b.String()[1:] + `]}`)
	alone := planner.NewIndex(mustDecode(t, []byte(data)))
	var standing []booking
	for i := range instances {
		standing = append(standing, booking{start: 2 * slots, end: 2*slots + 1, instance: fmt.Sprintf("i%04d", i), id: "oc-1"})
	}
	for name, x := range map[string]*planner.Index{"alone": alone, "with bookings": alone.With(overlay(standing))} {
		t.Run(name, func(t *testing.T) { checkBound(t, x, instances*amounts, bound) })
	}
}

// checkBound asks the instances in turn, for one thousandth more each round.
func checkBound(t *testing.T, x *planner.Index, questions int, bound int64) {
	t.Helper()
	list := x.Resource("r").Instances()
	first := list[0].Timeline("ram")
	for n := range questions {
		timeline, amount := list[n%len(list)].Timeline("ram"), planner.Amount(1+n/len(list))
		if start, ok := timeline.Gaps(amount).Earliest(origin, 1); !ok || start != origin+1 || timeline.MaxUse(origin, origin+1) != planner.Unit {
			t.Fatal("use is lost")
		}
		if w := x.Weight(); w > bound {
			t.Fatalf("the index holds %d bytes", w)
		}
	}
	if again := list[0].Timeline("ram"); again == first || first.MaxUse(origin+1, origin+2) != 0 || again.MaxUse(origin, origin+9) != planner.Unit {
		t.Error("timelines are wrong after the index began anew")
	}
}

func TestTooManyBookings(t *testing.T) {
	t.Parallel()
	one := slot("08:00:00Z", "09:00:00Z", "")
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `"i%d":{},`, i)
	}
	data := with(`"capacities":{"r":{` + strings.TrimSuffix(b.String(), ",") + `}},"schedule":{"r":[` + one + strings.Repeat(","+one, 999) + `]}`)
	if _, err := planner.Decode([]byte(data), nil); err == nil || !strings.HasPrefix(err.Error(), "$.schedule: takes 5000000 amounts, at most 1048576 are possible") {
		t.Errorf("Decode = %v", err)
	}
}

func TestTooManyDimensions(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 65_536 {
		fmt.Fprintf(&b, `"d%d":1,`, i)
	}
	all := strings.TrimSuffix(b.String(), ",")
	if _, err := planner.Decode([]byte(with(`"capacities":{"r":{"i":{`+all+`}}}`)), nil); err == nil || err.Error() != "$: more than 65535 dimensions" {
		t.Errorf("Decode = %v", err)
	}
	p := mustDecode(t, []byte(with(`"capacities":{"r":{"i":{`+all[:strings.LastIndexByte(all, ',')]+`}}},"schedule":{"r":[`+slot("08:00:00Z", "09:00:00Z", "")+`]}`)))
	if use := planner.NewIndex(p).Resource("r").Instances()[0].Timeline("d65534").MaxUse(origin, origin+year); use != planner.Unit {
		t.Errorf("use of the last dimension = %d", use)
	}
}

// TestConcurrentQuestions has many ask for the same and for other things at once; the race detector watches.
func TestConcurrentQuestions(t *testing.T) {
	t.Parallel()
	x := planner.NewIndex(mustDecode(t, fixture(t, "two-instances.json")))
	digest := mustDecode(t, fixture(t, "two-instances.json")).Digest()
	var all sync.WaitGroup
	for n := range planner.Amount(16) {
		all.Go(func() {
			for k := range planner.Amount(100) {
				for _, i := range x.Resource("gpu-cluster").Instances() {
					for _, dim := range []string{"ram_gb", "cpu_cores.x86_64", "tea"} {
						gaps := planner.Intersect(i.Timeline(dim).Gaps((n+k)*planner.Unit), i.Occupancy().Gaps(planner.Unit))
						if _, ok := gaps.Earliest(origin, 1); ok != ((n+k)*planner.Unit <= i.Capacity(dim)) {
							t.Errorf("%d of %s of %s: %v", n+k, dim, i.ID(), ok)
						}
					}
				}
				if x.Weight() <= 0 || x.Planner().Digest() != digest {
					t.Error("weight or digest is wrong")
				}
			}
		})
	}
	all.Wait()
}
