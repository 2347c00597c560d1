package planner_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

// world is a small planner of the resource "r", told so plainly that every answer can be found by
// looking at each nanosecond of it.
type world struct {
	capacities map[string]amounts // of each instance
	slots      []booking
	built      bool      // by New, not from JSON
	composed   bool      // of what our nodes tell
	standing   []booking // bookings of ours, each of one instance
	earlier    []booking // those that stood before
}

type amounts map[string]planner.Amount

type booking struct {
	start, end int64
	instance   string  // empty: all
	usage      amounts // nil: the whole instance
	id         string
	owner      string
	yields     bool
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
		b.id = rapid.SampledFrom(ids).Draw(t, "id")
		w.slots = append(w.slots, b)
	}
	w.built, w.composed = rapid.Bool().Draw(t, "built"), rapid.Bool().Draw(t, "composed")
	w.standing = drawStanding(t, w.slots, drawAmounts)
	if w.earlier = w.standing; rapid.Bool().Draw(t, "changed") {
		w.earlier = drawStanding(t, w.slots, drawAmounts)
	}
	return w
}

// ids are of bookings of ours, of others, and of nobody.
var ids = []string{"", "b-1", "oc-1", "oc-2", "oc-3", "oc-4"}

// drawStanding draws bookings of ours; some are slots of the planner as well, or nearly.
func drawStanding(t *rapid.T, slots []booking, drawAmounts func(string) amounts) (standing []booking) {
	for range rapid.IntRange(0, 5).Draw(t, "standing") {
		b := booking{instance: rapid.SampledFrom([]string{"i0", "i0", "i1", "i2", "i9"}).Draw(t, "instance"), id: rapid.SampledFrom(ids[1:]).Draw(t, "id")}
		switch {
		case len(slots) > 0 && rapid.Bool().Draw(t, "shown"):
			s := rapid.SampledFrom(slots).Draw(t, "slot")
			b.start, b.end, b.usage, b.id = s.start, s.end, s.usage, cmp.Or(s.id, b.id)
			b.instance = cmp.Or(s.instance, b.instance)
		case rapid.Bool().Draw(t, "part"):
			b.usage = drawAmounts("usage")
			fallthrough
		default:
			b.start = rapid.Int64Range(0, worldEnd-12).Draw(t, "start")
			b.end = b.start + rapid.Int64Range(-1, 12).Draw(t, "length")
		}
		b.owner, b.yields = rapid.SampledFrom([]string{"s-1", "s-2", "h-1"}).Draw(t, "owner"), rapid.Bool().Draw(t, "yields")
		standing = append(standing, b)
	}
	return standing
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
	if b.id != "" {
		slot["booking_id"] = b.id
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

// index is of a planner with the standing bookings, where others may have stood before.
func (w world) index(tb testing.TB) *planner.Index {
	tb.Helper()
	x := planner.NewIndex(w.planner(tb)).With(overlay(w.earlier))
	for _, i := range x.Resource("r").Instances() {
		i.Occupancy().Gaps(planner.Unit)
		for dim := range w.capacities[i.ID()] {
			i.Timeline(dim).Gaps(1)
		}
	}
	return x.With(overlay(w.standing))
}

func (w world) planner(tb testing.TB) *planner.Planner {
	tb.Helper()
	switch {
	case w.composed:
		p, err := planner.DecodeComposed(w.json(), nil, ourNodes)
		if err != nil {
			tb.Fatal(err)
		}
		return p
	case !w.built:
		return mustDecode(tb, w.json())
	}
	capacities, slots := map[planner.Ref][]planner.Quantity{}, map[planner.Ref][]planner.Slot{}
	for instance, has := range w.capacities {
		capacities[ref(instance)] = has.quantities()
	}
	for _, s := range w.slots {
		slots[ref(s.instance)] = append(slots[ref(s.instance)], s.slot())
	}
	p, err := planner.New(capacities, slots)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// withCapacities are the slots of what there is: nobody is warned of them.
func (w world) withCapacities() []booking {
	return slices.DeleteFunc(w.slots, func(b booking) bool { return b.instance != "" && w.capacities[b.instance] == nil })
}

func overlay(standing []booking) *planner.Overlay {
	slots := map[planner.Ref][]*planner.Slot{}
	for _, b := range standing {
		slot := b.slot()
		slots[ref(b.instance)] = append(slots[ref(b.instance)], &slot)
	}
	return planner.NewOverlay(slots)
}

func ref(instance string) planner.Ref { return planner.Ref{ResourceID: "r", InstanceID: instance} }

func (a amounts) quantities() (list []planner.Quantity) {
	for _, dim := range slices.Sorted(maps.Keys(a)) {
		list = append(list, planner.Quantity{Dimension: dim, Amount: a[dim]})
	}
	return list
}

func (b booking) slot() planner.Slot {
	return planner.Slot{
		Interval:  planner.Interval{Start: origin + b.start, End: origin + b.end},
		BookingID: b.id, Usage: b.usage.quantities(), Whole: b.usage == nil, Owner: b.owner, Yields: b.yields,
	}
}

// ourNodes tells the bookings that a composed planner shows of us.
func ourNodes(id string) bool { return id == "oc-1" || id == "oc-2" }

// counted are the slots that count: the planner's but for those of standing bookings, and these.
func (w world) counted() []booking {
	return append(slices.DeleteFunc(slices.Clone(w.slots), w.returned), w.standing...)
}

func (w world) returned(s booking) bool {
	if w.composed {
		return ourNodes(s.id)
	}
	return strings.HasPrefix(s.id, planner.BookingPrefix) && slices.ContainsFunc(w.standing, func(b booking) bool { return b.id == s.id && b.start < b.end })
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
		if s.takes() && s.start <= t && t < s.end && (s.instance == "" || s.instance == instance) {
			n += planner.Unit
		}
	}
	return n
}

// takes tells whether b takes anything at all.
func (b booking) takes() bool {
	return b.usage == nil || slices.ContainsFunc(b.usage.quantities(), func(q planner.Quantity) bool { return q.Amount > 0 })
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
	x := w.index(tb)
	w.slots, w.standing = w.counted(), nil
	for _, i := range x.Resource("r").Instances() {
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
