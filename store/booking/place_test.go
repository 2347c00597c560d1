package booking_test

import (
	"iter"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
)

// kept are bookings of one peer in the plainest way.
type kept map[planner.Ref][]*planner.Slot

func (k kept) Meeting(ref planner.Ref, i planner.Interval) iter.Seq[*planner.Slot] {
	return func(yield func(*planner.Slot) bool) {
		for _, s := range k[ref] {
			if max(s.Start, i.Start) < min(s.End, i.End) && !yield(s) {
				return
			}
		}
	}
}

func (k kept) Stands(id string) bool {
	for _, slots := range k {
		for _, s := range slots {
			if s.BookingID == id && s.Start < s.End {
				return true
			}
		}
	}
	return false
}

// TestPlaceAgreesWithBruteForce: beside bookings that are not laid over the planner.
func TestPlaceAgreesWithBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		p := problem(t, w.workflow(), w.alone, w.selected)
		start, length := rapid.IntRange(0, span).Draw(t, "window"), rapid.IntRange(1, 13).Draw(t, "length")
		got, ok, err := p.Place(booking.Window{Start: at(start).UnixNano(), End: at(start + length).UnixNano()},
			func(peerID string) planner.Bookings { return kept(w.standing(peerID)) })
		want := w.place(start, length, false)
		if err != nil || ok != (complete(want) && !w.missing()) || (got != nil) != ok {
			t.Fatalf("%v %t %v, want %v\n%v", got, ok, err, want, w)
		}
		for n, placed := range got {
			it := w.items[n]
			from, to := it.within(start, length)
			if placed.ItemID != it.id || placed.InstanceID != want[it.id] ||
				placed.Start != at(from).UnixNano() || placed.End != at(to).UnixNano() {
				t.Fatalf("item %s: %+v, want on %s from %d to %d\n%v", it.id, placed, want[it.id], from, to, w)
			}
		}
	})
}

func TestPlaceNothing(t *testing.T) {
	t.Parallel()
	p := problem(t, (&world{}).workflow(), (&world{}).alone, nil)
	if list, ok, err := p.Place(booking.Window{End: 1}, nil); list == nil || len(list) > 0 || !ok || err != nil {
		t.Errorf("%v %t %v", list, ok, err)
	}
}
