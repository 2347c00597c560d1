package planner_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

// world is a small planner of the resource "r", told so plainly that every answer can be found by
// looking at each nanosecond of it.
type world struct {
	capacities map[string]amounts // of each instance
	slots      []booking
}

type amounts map[string]planner.Amount

type booking struct {
	start, end int64
	instance   string  // empty: all
	usage      amounts // nil: the whole instance
}

// worldEnd is when all slots of a world are over; it begins at 0.
const worldEnd = 40

var dimensions = []string{"cpu.x86", "cpu.arm", "ram"}

func drawWorld(t *rapid.T) world {
	w := world{capacities: map[string]amounts{}}
	amount := rapid.OneOf(rapid.Int64Range(0, 6), rapid.Just(int64(planner.MaxAmount)))
	drawAmounts := func(label string) amounts {
		a := amounts{}
		for _, dim := range rapid.SliceOfNDistinct(rapid.SampledFrom(dimensions), 0, 3, rapid.ID).Draw(t, label) {
			a[dim] = planner.Amount(amount.Draw(t, dim))
		}
		return a
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "instances") {
		w.capacities["i"+strconv.Itoa(i)] = drawAmounts("capacities")
	}
	for range rapid.IntRange(0, 14).Draw(t, "slots") {
		b := booking{start: rapid.Int64Range(0, worldEnd-12).Draw(t, "start"), instance: rapid.SampledFrom([]string{"", "i0", "i0", "i1", "i2"}).Draw(t, "instance")}
		b.end = b.start + rapid.Int64Range(0, 12).Draw(t, "length")
		if rapid.IntRange(0, 3).Draw(t, "whole") > 0 {
			b.usage = drawAmounts("usage")
		}
		w.slots = append(w.slots, b)
	}
	return w
}

func (a amounts) MarshalJSON() ([]byte, error) {
	nested := map[string]any{}
	for dim, amount := range a {
		if dim == "ram" {
			nested[dim] = amount
			continue
		}
		cpu, _ := nested["cpu"].(map[string]planner.Amount)
		if cpu == nil {
			cpu = map[string]planner.Amount{}
		}
		cpu[dim[len("cpu."):]] = amount
		nested["cpu"] = cpu
	}
	return json.Marshal(nested)
}

func (b booking) MarshalJSON() ([]byte, error) {
	slot := map[string]any{"start": stamp(origin + b.start), "end": stamp(origin + b.end)}
	if b.instance != "" {
		slot["instance_id"] = b.instance
	}
	if b.usage != nil {
		slot["usage"] = b.usage
	}
	return json.Marshal(slot)
}

func (w world) json() []byte {
	text, err := json.Marshal(map[string]any{
		"peer_id": "p", "generated_at": "2026-12-01T00:00:00Z",
		"capacities": map[string]any{"r": w.capacities}, "schedule": map[string]any{"r": w.slots},
	})
	if err != nil {
		panic(err)
	}
	return text
}

func (w world) index(tb testing.TB) *planner.Index {
	tb.Helper()
	return planner.NewIndex(mustDecode(tb, w.json()))
}

// use is what is in use at the moment t, found slot by slot.
func (w world) use(instance, dim string, t int64) planner.Amount {
	sum := new(big.Int)
	for _, s := range w.slots {
		if t < s.start || s.end <= t || s.instance != "" && s.instance != instance {
			continue
		}
		amount := s.usage[dim]
		if s.usage == nil {
			amount = w.capacities[instance][dim]
		}
		sum.Add(sum, big.NewInt(int64(amount)))
	}
	return saturated(sum)
}

// occupied is how many slots take something at the moment t.
func (w world) occupied(instance string, t int64) (n planner.Amount) {
	for _, s := range w.slots {
		takes := s.usage == nil
		for _, amount := range s.usage {
			takes = takes || amount > 0
		}
		if takes && s.start <= t && t < s.end && (s.instance == "" || s.instance == instance) {
			n += planner.Unit
		}
	}
	return n
}

// twin is a timeline and what it should say.
type twin struct {
	*planner.Timeline
	name     string
	capacity planner.Amount
	use      func(t int64) planner.Amount
}

// free says whether amount is free at the moment t.
func (w twin) free(amount planner.Amount, t int64) bool {
	return amount == 0 || w.use(t) <= w.capacity-amount
}

// twins are all timelines of a world.
func (w world) twins(tb testing.TB) (list []twin) {
	tb.Helper()
	for _, i := range w.index(tb).Resource("r").Instances() {
		for dim, capacity := range w.capacities[i.ID()] {
			list = append(list, twin{i.Timeline(dim), i.ID() + "/" + dim, capacity, func(t int64) planner.Amount { return w.use(i.ID(), dim, t) }})
		}
		list = append(list, twin{i.Occupancy(), i.ID(), planner.Unit, func(t int64) planner.Amount { return w.occupied(i.ID(), t) }})
		list = append(list, twin{i.Timeline("tea"), i.ID() + "/tea", 0, func(int64) planner.Amount { return 0 }})
	}
	return list
}

// need is an amount of a timeline.
type need struct {
	twin
	amount planner.Amount
}

func drawNeed(t *rapid.T, twins []twin) need {
	w := rapid.SampledFrom(twins).Draw(t, "timeline")
	amount := rapid.OneOf(rapid.Int64Range(0, 7), rapid.Just(int64(planner.Unit)), rapid.Just(int64(planner.MaxAmount))).Draw(t, "amount")
	return need{w, planner.Amount(amount)}
}

func (n need) String() string { return fmt.Sprintf("%d of %s", n.amount, n.name) }
