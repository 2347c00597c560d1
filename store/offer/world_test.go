package offer_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/offer"
	"oc-scheduler/store/planner"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// Ids as our bookings have them.
const (
	oursA = "oc-0123456789abcdefghjkmnpq"
	oursB = "oc-0123456789abcdefghjkmnpr"
)

// told is what one node offers, as plainly as can be.
type told struct {
	instances map[planner.Ref]int64 // how much of the one dimension
	slots     []booked
}

type booked struct {
	on         planner.Ref // without instance: on all of the resource
	start, end int         // seconds after noon
	usage      int64       // 0: the whole instance
	id         string
}

func drawTold(t *rapid.T) told {
	o := told{instances: map[planner.Ref]int64{}}
	ref := rapid.Custom(func(t *rapid.T) planner.Ref {
		return planner.Ref{ResourceID: rapid.SampledFrom([]string{"r", `s"1`}).Draw(t, "resource"), InstanceID: rapid.SampledFrom([]string{"i", "j", "k"}).Draw(t, "instance")}
	})
	for _, r := range rapid.SliceOfNDistinct(ref, 0, 3, rapid.ID).Draw(t, "instances") {
		o.instances[r] = rapid.Int64Range(0, 9).Draw(t, "amount")
	}
	for range rapid.IntRange(0, 4).Draw(t, "slots") {
		b := booked{on: ref.Draw(t, "on"), start: rapid.IntRange(0, 9).Draw(t, "start"), usage: rapid.Int64Range(0, 5).Draw(t, "usage")}
		b.end = b.start + rapid.IntRange(0, 5).Draw(t, "length")
		if b.id = rapid.SampledFrom([]string{"", "b-1", "oc-1", oursA, oursB}).Draw(t, "booking"); rapid.Bool().Draw(t, "wide") {
			b.on.InstanceID = ""
		}
		o.slots = append(o.slots, b)
	}
	return o
}

// document writes an offer as a node might; slots come in the order that shuffle gives.
func (o told) document(spaces bool) []byte {
	capacities, schedule := map[string]map[string]any{}, map[string][]any{}
	for ref, amount := range o.instances {
		if capacities[ref.ResourceID] == nil {
			capacities[ref.ResourceID] = map[string]any{}
		}
		capacities[ref.ResourceID][ref.InstanceID] = map[string]any{"cpu": map[string]any{"x": amount}}
	}
	for _, b := range o.slots {
		slot := map[string]any{"start": b.at(b.start), "end": b.at(b.end), "booking_id": b.id, "note": []int{1, 2}}
		if b.on.InstanceID != "" {
			slot["instance_id"] = b.on.InstanceID
		} else if spaces {
			slot["instance_id"] = nil
		}
		if b.usage > 0 {
			slot["usage"] = map[string]any{"cpu.x": b.usage}
		}
		schedule[b.on.ResourceID] = append(schedule[b.on.ResourceID], slot)
	}
	all := map[string]any{"capacities": capacities, "schedule": schedule, "peer_id": 7, "labels": "any"}
	data, _ := json.Marshal(all)
	if spaces {
		data, _ = json.MarshalIndent(all, "", "  ")
	}
	return data
}

func (booked) at(seconds int) string {
	return noon.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
}

// twin is the planner of some nodes, found by asking for each instance who has it.
func twin(t require, nodes map[string]told) (p *planner.Planner, whose map[planner.Ref]string) {
	t.Helper()
	whose = map[planner.Ref]string{}
	capacities, slots := map[planner.Ref][]planner.Quantity{}, map[planner.Ref][]planner.Slot{}
	owners := map[string]map[string]bool{} // nodes that have instances, by resource
	for _, node := range slices.Sorted(maps.Keys(nodes)) {
		for ref, amount := range nodes[node].instances {
			if _, had := whose[ref]; had {
				continue
			}
			whose[ref] = node
			capacities[ref] = []planner.Quantity{{Dimension: "cpu.x", Amount: planner.Amount(amount) * planner.Unit}}
			if owners[ref.ResourceID] == nil {
				owners[ref.ResourceID] = map[string]bool{}
			}
			owners[ref.ResourceID][node] = true
		}
		for ref := range nodes[node].instances {
			if _, named := capacities[planner.Ref{ResourceID: ref.ResourceID}]; !named {
				capacities[planner.Ref{ResourceID: ref.ResourceID}] = nil
			}
		}
	}
	for ref, node := range whose {
		for _, b := range nodes[node].slots {
			if b.on == ref || b.on.InstanceID == "" && b.on.ResourceID == ref.ResourceID && len(owners[ref.ResourceID]) > 1 {
				slots[ref] = append(slots[ref], b.slot())
			}
		}
	}
	for resource, of := range owners {
		for node := range of {
			for _, b := range nodes[node].slots {
				if wide := (planner.Ref{ResourceID: resource}); len(of) == 1 && b.on == wide {
					slots[wide] = append(slots[wide], b.slot())
				}
			}
		}
	}
	p, err := planner.New(capacities, slots)
	if err != nil {
		t.Fatal(err)
	}
	return p, whose
}

func (b booked) slot() planner.Slot {
	s := planner.Slot{BookingID: b.id, Whole: b.usage == 0}
	s.Start, s.End = noon.Add(time.Duration(b.start)*time.Second).UnixNano(), noon.Add(time.Duration(b.end)*time.Second).UnixNano()
	if !s.Whole {
		s.Usage = []planner.Quantity{{Dimension: "cpu.x", Amount: planner.Amount(b.usage) * planner.Unit}}
	}
	return s
}

// require is what a test and a property have in common.
type require interface {
	Helper()
	Fatal(args ...any)
}

func decode(t require, data []byte) *offer.Offer {
	t.Helper()
	o, err := offer.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func compose(t require, nodes map[string]*offer.Offer) *offer.Composition {
	t.Helper()
	c, err := offer.Compose("p", noon, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// many is a document of n instances of one resource with so many slots each.
func many(first, n, slots int) []byte {
	var capacities, schedule []string
	for i := first; i < first+n; i++ {
		capacities = append(capacities, fmt.Sprintf(`"i%d":{"cpu_cores":{"x86_64":64},"ram_gb":512}`, i))
		for s := range slots {
			start := noon.Add(time.Duration(s) * time.Hour)
			schedule = append(schedule, fmt.Sprintf(`{"start":%q,"end":%q,"instance_id":"i%d","booking_id":"b-%d","usage":{"cpu_cores":{"x86_64":8},"ram_gb":32}}`,
				start.Format(time.RFC3339), start.Add(time.Hour).Format(time.RFC3339), i, s))
		}
	}
	return []byte(`{"capacities":{"gpu":{` + strings.Join(capacities, ",") + `}},"schedule":{"gpu":[` + strings.Join(schedule, ",") + `]}}`)
}
