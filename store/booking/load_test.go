package booking_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
)

// needing is an item that asks for some of "a" from then until then.
func needing(id string, a, from, to int) item {
	return item{id: id, peer: "p", resource: "r", demand: amounts{"a": a}, from: from, to: to}
}

// TestPartsOfTheWindow: the next slot of items on one instance of four units, each needed at its time,
// in a window of some ns from the epoch; -1: none.
func TestPartsOfTheWindow(t *testing.T) {
	t.Parallel()
	throughout := func(id string, a int) item { return needing(id, a, 0, 0) }
	for name, c := range map[string]struct {
		items  []item
		slots  []slot
		length int
		next   int // 0: the window itself
	}{
		"one after the other":              {[]item{needing("a", 4, 0, 5), needing("b", 4, 5, 9)}, nil, 9, 0},
		"beside each other for a moment":   {[]item{needing("a", 3, 0, 5), needing("b", 2, 4, 9)}, nil, 9, -1},
		"all of them at once":              {[]item{needing("a", 1, 0, 9), needing("b", 1, 2, 6), needing("c", 2, 4, 5)}, nil, 9, 0},
		"too much where three meet":        {[]item{needing("a", 1, 0, 9), needing("b", 1, 2, 6), needing("c", 3, 4, 5)}, nil, 9, -1},
		"beside one that stays":            {[]item{throughout("a", 2), needing("b", 2, 2, 6)}, nil, 9, 0},
		"the tail is others'":              {[]item{needing("a", 4, 0, 5)}, []slot{{5, 20, "", nil}}, 9, 0},
		"each waits for its own gap":       {[]item{needing("a", 4, 0, 2), needing("b", 2, 4, 6)}, []slot{{1, 3, "", nil}, {8, 9, "", amounts{"a": 3}}}, 6, 5},
		"a slot in between is passed over": {[]item{needing("a", 4, 0, 2), needing("b", 4, 4, 6)}, []slot{{0, 1, "", nil}, {3, 4, "", nil}}, 6, 1},
		"what is cut off meets nobody":     {[]item{needing("a", 3, 0, 9), needing("b", 3, 6, 9)}, nil, 6, 0},
		"what is cut off asks for nothing": {[]item{needing("a", 4, 6, 9)}, []slot{{0, 100, "", nil}}, 6, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{
				peers: map[string]map[string]*resource{"p": {"r": {instances: map[string]amounts{"i0": {"a": 4}}, slots: c.slots}}},
				items: c.items,
			}
			window := booking.Window{Start: at(0).UnixNano(), End: at(c.length).UnixNano(), From: at(0).UnixNano()}
			r := answer(t, problem(t, w.workflow(), w.planner, nil), window)
			next := 0
			switch {
			case r.Available:
			case r.NextSlot == nil:
				next = -1
			default:
				next = int(r.NextSlot.Start.Sub(epoch))
			}
			if next != c.next {
				t.Errorf("next slot at %d, want %d: %s", next, c.next, r.JSON())
			}
		})
	}
}

// TestManyPartsAreSearched: more of them than are joined, on an instance with a lot of slots.
func TestManyPartsAreSearched(t *testing.T) {
	t.Parallel()
	r := &resource{instances: map[string]amounts{"i0": {"a": 1_000}}}
	for i := range 6_000 {
		r.slots = append(r.slots, slot{4000 + 2*i, 4001 + 2*i, "", amounts{"a": 1 + i%2}})
	}
	r.slots = append(r.slots, slot{0, 4000, "", amounts{"a": 999}})
	w := &world{peers: map[string]map[string]*resource{"p": {"r": r}}}
	for i := range 100 {
		w.items = append(w.items, needing(fmt.Sprintf("n%03d", i), 500+i, 10*i, 10*i+10))
	}
	got := answer(t, problem(t, w.workflow(), w.planner, nil), booking.Window{Start: at(0).UnixNano(), End: at(1000).UnixNano(), From: at(0).UnixNano()})
	if got.NextSlot == nil || !got.NextSlot.Start.Equal(at(4000)) {
		t.Errorf("next slot %v %v, want at 4000 ns", got.NextSlot, got.Warnings)
	}
}

// TestWindowCovers: what is booked has room for the longest path, and a refusal names both lengths.
func TestWindowCovers(t *testing.T) {
	t.Parallel()
	w := (&world{items: []item{needing("a", 1, 2, 7)}}).workflow()
	for length, want := range map[time.Duration]string{8: "", 7: "", 6: "6ns 7ns"} {
		err := booking.Window{Start: 1000, End: 1000 + int64(length)}.Covers(w)
		var list fault.List
		if (err == nil) != (want == "") || err != nil && !errors.As(err, &list) {
			t.Errorf("%v: %v", length, err)
		}
		for part := range strings.FieldsSeq(want) {
			if !strings.Contains(list.Error(), part) {
				t.Errorf("%v does not name %s", list, part)
			}
		}
	}
	none := (&world{items: []item{{id: "a", peer: "p", resource: "r"}}}).workflow()
	if err := (booking.Window{Start: 0, End: 1}).Covers(none); err != nil {
		t.Error(err)
	}
}
