package booking_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// The twin answers checks by trying every nanosecond of a tiny world. It shares no code with the
// package under test but the decoders.

var epoch = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

const span = 24 // ns in which slots lie

func at(ns int) time.Time { return epoch.Add(time.Duration(ns)) }

type (
	amounts map[string]int // by dimension
	slot    struct {
		start, end int
		instance   string  // empty: all
		usage      amounts // nil: the whole instance
	}
	resource struct {
		instances map[string]amounts
		slots     []slot
		ours      map[int]ours // the slots that are bookings of ours
	}
	ours struct {
		shown  bool // by the planner too
		owner  string
		yields bool
	}
	item struct {
		id, peer, resource string
		demand             amounts // nil: the whole instance
		from, to           int     // when in the window it is needed; 0, 0: throughout
	}
	placed struct { // what was placed on an instance, from then until then
		demand   amounts
		from, to int
	}
	world struct {
		peers    map[string]map[string]*resource // a nil peer has no planner
		items    []item                          // by id
		selected map[string]string
	}
)

func (w *world) planner(peer string) *planner.Index {
	if w.peers[peer] == nil {
		return nil
	}
	return w.alone(peer).With(planner.NewOverlay(w.standing(peer)))
}

// standing are our bookings on a peer's instances.
func (w *world) standing(peer string) map[planner.Ref][]*planner.Slot {
	standing := map[planner.Ref][]*planner.Slot{}
	for name, r := range w.peers[peer] {
		for n, own := range r.ours {
			ref := planner.Ref{ResourceID: name, InstanceID: r.slots[n].instance}
			slot := r.slots[n].booked(bookingID(name, n), own)
			standing[ref] = append(standing[ref], &slot)
		}
	}
	return standing
}

func bookingID(resource string, n int) string { return fmt.Sprint("oc-", resource, n) }

// alone is what the planner shows.
func (w *world) alone(peer string) *planner.Index {
	if w.peers[peer] == nil {
		return nil
	}
	capacities, schedule := map[string]map[string]amounts{}, map[string][]map[string]any{}
	for name, r := range w.peers[peer] {
		capacities[name] = r.instances
		for n, s := range r.slots {
			own, ours := r.ours[n]
			if ours && !own.shown {
				continue
			}
			o := map[string]any{"start": at(s.start), "end": at(s.end)}
			if s.instance != "" {
				o["instance_id"] = s.instance
			}
			if s.usage != nil {
				o["usage"] = s.usage
			}
			if ours {
				o["booking_id"] = bookingID(name, n)
			}
			schedule[name] = append(schedule[name], o)
		}
	}
	p, err := planner.Decode(encode(map[string]any{"peer_id": peer, "generated_at": epoch, "capacities": capacities, "schedule": schedule}), nil)
	if err != nil {
		panic(err)
	}
	return planner.NewIndex(p)
}

// booked is a slot as a booking of ours.
func (s slot) booked(id string, own ours) planner.Slot {
	interval, err := planner.NewInterval(at(s.start), at(s.end))
	if err != nil {
		panic(err)
	}
	b := planner.Slot{Interval: interval, BookingID: id, Whole: s.usage == nil, Owner: own.owner, Yields: own.yields}
	for _, dimension := range slices.Sorted(maps.Keys(s.usage)) {
		b.Usage = append(b.Usage, planner.Quantity{Dimension: dimension, Amount: planner.Amount(s.usage[dimension]) * planner.Unit})
	}
	return b
}

// lasting is a processing item of so many ns.
func lasting(ns int) map[string]any {
	return map[string]any{"processing": map[string]any{"duration_s": json.Number(fmt.Sprintf("%de-9", ns))}}
}

func link(source, destination string) map[string]string {
	return map[string]string{"source": source, "destination": destination}
}

// within is when a window of that length needs the item.
func (it item) within(start, length int) (from, to int) {
	if it.to == 0 {
		return start, start + length
	}
	return start + min(it.from, length), start + min(it.to, length)
}

// lasts is the longest path.
func (w *world) lasts() (longest int) {
	for _, it := range w.items {
		longest = max(longest, it.to)
	}
	return longest
}

func (w *world) workflow() *workflow.Workflow {
	items, links := map[string]any{}, []any{}
	for _, it := range w.items {
		o := map[string]any{"id": it.resource, "peer_id": it.peer}
		if it.demand != nil {
			o["demand"] = it.demand
		}
		items[it.id] = map[string]any{"compute": o}
		if it.to > 0 {
			before, step := "before "+it.id, "step "+it.id
			items[before], items[step] = lasting(it.from), lasting(it.to-it.from)
			links = append(links, link(before, step), link(step, it.id))
		}
	}
	wf, err := workflow.Decode(encode(map[string]any{"id": "wf", "graph": map[string]any{"items": items, "links": links}}))
	if err != nil {
		panic(err)
	}
	return wf
}

// fataler is what tests, benchmarks and property tests have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func problem(t fataler, w *workflow.Workflow, index func(string) *planner.Index, selected map[string]string) *booking.Problem {
	t.Helper()
	p, err := booking.NewProblem(w, index, selected)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func answer(t fataler, p *booking.Problem, w booking.Window) *booking.Result {
	t.Helper()
	r, err := p.Check(w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// counts: of the n-th slot; when all have given way that may, only a booking of ours that does not.
func (r *resource) counts(n int, firm bool) bool {
	own, ours := r.ours[n]
	return !firm || ours && !own.yields
}

// free is what an instance has left of a dimension at t beside what was placed.
func (r *resource) free(instance, dimension string, t int, on []placed, firm bool) int {
	capacity := r.instances[instance][dimension]
	left := capacity
	for n, s := range r.slots {
		if r.counts(n, firm) && s.start <= t && t < s.end && (s.instance == "" || s.instance == instance) {
			if s.usage == nil {
				left -= capacity
			} else {
				left -= s.usage[dimension]
			}
		}
	}
	left = max(left, 0)
	for _, p := range on {
		switch {
		case t < p.from || p.to <= t:
		case p.demand == nil:
			return 0
		default:
			left -= p.demand[dimension]
		}
	}
	return max(left, 0)
}

// idle reports whether nothing at all is taken of an instance at t.
func (r *resource) idle(instance string, t int, on []placed, firm bool) bool {
	for n, s := range r.slots {
		if r.counts(n, firm) && s.start <= t && t < s.end && (s.instance == "" || s.instance == instance) && (s.usage == nil || positive(s.usage)) {
			return false
		}
	}
	return !slices.ContainsFunc(on, func(p placed) bool {
		return p.from <= t && t < p.to && (p.demand == nil || positive(p.demand))
	})
}

func positive(a amounts) bool {
	for _, v := range a {
		if v > 0 {
			return true
		}
	}
	return false
}

// holds tells whether an instance has room from a moment until another; never above its capacity.
func (r *resource) holds(instance string, demand amounts, from, to int, on []placed, firm bool) bool {
	for dimension, v := range demand {
		if v > r.instances[instance][dimension] {
			return false
		}
	}
	for t := from; t < to; t++ {
		if demand == nil && !r.idle(instance, t, on, firm) {
			return false
		}
		for dimension, v := range demand {
			if v > 0 && r.free(instance, dimension, t, on, firm) < v {
				return false
			}
		}
	}
	return true
}

// place returns item id → instance ("" when it finds none), for items whose planner is known.
func (w *world) place(start, length int, firm bool) map[string]string {
	taken, answer := map[string][]placed{}, map[string]string{}
	for _, it := range w.items {
		if w.peers[it.peer] == nil {
			continue
		}
		answer[it.id] = ""
		r := w.peers[it.peer][it.resource]
		if r == nil {
			continue
		}
		from, to := it.within(start, length)
		for _, name := range r.names() {
			key := it.peer + "/" + it.resource + "/" + name
			if s := w.selected[it.resource]; s != "" && s != name || !r.holds(name, it.demand, from, to, taken[key], firm) {
				continue
			}
			taken[key] = append(taken[key], placed{it.demand, from, to})
			answer[it.id] = name
			break
		}
	}
	return answer
}

func (r *resource) names() []string {
	var names []string
	for name := range r.instances {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func complete(placement map[string]string) bool {
	for _, instance := range placement {
		if instance == "" {
			return false
		}
	}
	return true
}

func (w *world) missing() bool {
	return slices.ContainsFunc(w.items, func(it item) bool { return w.peers[it.peer] == nil })
}

// earliest tries every start; after the last slot nothing changes any more.
func (w *world) earliest(from, length int) (int, bool) {
	for t := from; !w.missing() && t <= max(from, span)+1; t++ {
		if complete(w.place(t, length, false)) {
			return t, true
		}
	}
	return 0, false
}

// conflicts lists what an item lacks on an instance, as "start dimension to end requested free by".
func (w *world) conflicts(it item, instance string, from, to int, on []placed) (list []string, time int) {
	r := w.peers[it.peer][it.resource]
	demand := it.demand
	dimensions := []string{"a", "b"}
	if demand == nil {
		demand, dimensions = amounts{"instance": 1}, []string{"instance"}
	}
	short := make([]bool, to)
	for _, d := range dimensions {
		var begin, last int
		flush := func(end int) {
			if last >= 0 {
				list = append(list, fmt.Sprintf("%03d %s to %03d %d %d %s", begin, d, end, demand[d], last, r.takers(instance, d, begin, end)))
			}
		}
		last = -1
		for t := from; t < to; t++ {
			free := -1
			switch {
			case it.demand == nil && !r.idle(instance, t, on, false):
				free = 0
			case it.demand != nil:
				if f := r.free(instance, d, t, on, false); f < demand[d] {
					free = f
				}
			}
			if free >= 0 {
				short[t] = true
			}
			if free != last {
				flush(t)
				begin, last = t, free
			}
		}
		flush(to)
	}
	for _, s := range short {
		if s {
			time++
		}
	}
	slices.Sort(list)
	return list, time
}

// takers are who takes something of an instance from then until then, in the order of their JSON.
func (r *resource) takers(instance, dimension string, from, to int) []string {
	seen := map[string]bool{}
	for n, s := range r.slots {
		capacity, takes := r.instances[instance][dimension], s.usage[dimension] > 0
		switch {
		case dimension == "instance":
			takes = s.usage == nil || positive(s.usage)
		case s.usage == nil:
			takes = capacity > 0
		}
		if !takes || max(s.start, from) >= min(s.end, to) || s.instance != "" && s.instance != instance {
			continue
		}
		own, ours := r.ours[n]
		switch {
		case !ours:
			seen[`{"planner":true}`] = true
		case own.owner[0] == 'h':
			seen[`{"hold_id":"`+own.owner+`"}`] = true
		default:
			seen[`{"schedule_id":"`+own.owner+`"}`] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func written(conflicts []booking.Conflict) (list []string) {
	for _, c := range conflicts {
		by := []string{}
		for _, taker := range c.By {
			by = append(by, string(encode(taker)))
		}
		list = append(list, fmt.Sprintf("%03d %s to %03d %s %s %s", c.Start.Sub(epoch), c.Dimension, c.End.Sub(epoch), c.Requested, c.Free, by))
	}
	return list
}

func drawWorld(t *rapid.T) *world {
	w := &world{peers: map[string]map[string]*resource{}}
	draw := func(name string, options ...int) int { return rapid.SampledFrom(options).Draw(t, name) }
	some := func(name string, top int) amounts {
		a := amounts{"a": draw(name+".a", 0, 1, 2, 3, 4)}
		if draw(name+" has b", 0, 0, 1) == 1 {
			a["b"] = rapid.IntRange(0, top).Draw(t, name+".b")
		}
		return a
	}
	for _, peer := range []string{"p", "q"}[:draw("peers", 1, 1, 2)] {
		w.peers[peer] = map[string]*resource{}
		for _, name := range []string{"r", "s"}[:draw("resources", 1, 2)] {
			r := &resource{instances: map[string]amounts{}, ours: map[int]ours{}}
			for i := range draw("instances", 1, 1, 2, 3) {
				r.instances[fmt.Sprint("i", i)] = amounts{"a": draw("cap.a", 2, 4, 6), "b": draw("cap.b", 0, 3)}
			}
			for range rapid.IntRange(0, 7).Draw(t, "slots") {
				s := slot{start: rapid.IntRange(0, span-1).Draw(t, "start")}
				s.end = rapid.IntRange(s.start, span).Draw(t, "end")
				if draw("own", 1, 1, 1, 0) == 1 {
					s.instance = fmt.Sprint("i", draw("instance", 0, 0, 1, 2))
				}
				if draw("used", 1, 1, 1, 0) == 1 {
					s.usage = some("usage", 3)
				}
				if s.instance != "" && draw("ours", 0, 0, 1) == 1 {
					owner := rapid.SampledFrom([]string{"s-1", "s-2", "h-1"}).Draw(t, "owner")
					r.ours[len(r.slots)] = ours{draw("shown", 0, 1) == 1, owner, draw("yields", 0, 1) == 1}
				}
				r.slots = append(r.slots, s)
			}
			w.peers[peer][name] = r
		}
	}
	timed := draw("timed items", 0, 1) == 1
	for i := range rapid.IntRange(1, 4).Draw(t, "items") {
		it := item{id: fmt.Sprint("n", i), peer: []string{"p", "p", "p", "q"}[draw("peer", 0, 1, 2, 3)], resource: []string{"r", "r", "s"}[draw("resource", 0, 1, 2)]}
		if draw("demands", 1, 1, 1, 0) == 1 {
			it.demand = some("demand", 3)
		}
		if timed && draw("timed", 0, 1, 1) == 1 {
			it.from = rapid.IntRange(0, 6).Draw(t, "from")
			it.to = it.from + rapid.IntRange(1, 5).Draw(t, "lasts")
		}
		w.items = append(w.items, it)
	}
	if draw("select", 0, 0, 1) == 1 {
		w.selected = map[string]string{"r": fmt.Sprint("i", draw("selected", 0, 1, 2))}
	}
	return w
}

func (w *world) String() string {
	var b strings.Builder
	for peer, resources := range w.peers {
		for name, r := range resources {
			fmt.Fprintf(&b, "%s/%s %v slots %v\n", peer, name, r.instances, r.slots)
		}
	}
	fmt.Fprintf(&b, "items %v selected %v", w.items, w.selected)
	return b.String()
}
