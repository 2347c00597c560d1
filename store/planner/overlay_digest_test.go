package planner_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

func TestDigestOfAnOverlay(t *testing.T) {
	t.Parallel()
	a := booking{start: 1, end: 2, instance: "i0", usage: amounts{"ram": 1, "cpu.arm": 2}, id: "oc-1"}
	b := booking{start: 1, end: 2, instance: "i1", id: "oc-2"}
	base := overlay([]booking{a, b})
	over := overlay([]booking{b, a, {start: 2, end: 2, instance: "i0", id: "oc-3"}}).With(ref("i2"), "oc-9", []planner.Slot{b.slot()}).With(ref("i2"), "oc-9", nil)
	if over.Digest() != base.Digest() {
		t.Error("the way in which an overlay is made counts")
	}
	var none *planner.Overlay
	if none.Digest() != [16]byte{} || base.With(ref("i0"), a.id, nil).With(ref("i1"), b.id, nil).Digest() != none.Digest() {
		t.Error("no bookings have a digest")
	}
	seen := map[[16]byte]int{base.Digest(): -1}
	for n, change := range []func(*booking){
		func(b *booking) { b.start-- }, func(b *booking) { b.end++ }, func(b *booking) { b.id = "oc-4" }, func(b *booking) { b.instance = "i3" },
		func(b *booking) { b.owner = "s-1" }, func(b *booking) { b.owner = "h-1" }, func(b *booking) { b.yields = true },
		func(b *booking) { b.usage = nil }, func(b *booking) { b.usage = amounts{} }, func(b *booking) { b.usage = amounts{"ram": 2, "cpu.arm": 1} },
	} {
		changed := a
		change(&changed)
		d := overlay([]booking{changed, b}).Digest()
		if other, twice := seen[d]; twice {
			t.Errorf("changes %d and %d have one digest", n, other)
		}
		seen[d] = n
	}
}

// TestOverlaysChangeByBooking: whatever was changed before, an overlay is the one that is made of what
// stands, and what it was made from stays as it was.
func TestOverlaysChangeByBooking(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var o *planner.Overlay
		var standing []booking
		for range rapid.IntRange(0, 12).Draw(t, "changes") {
			instance, id := rapid.SampledFrom([]string{"i0", "i1"}).Draw(t, "instance"), rapid.SampledFrom(ids[2:]).Draw(t, "booking")
			standing = slices.DeleteFunc(slices.Clone(standing), func(b booking) bool { return b.instance == instance && b.id == id })
			var slots []planner.Slot
			for range rapid.IntRange(0, 3).Draw(t, "slots") {
				b := booking{start: rapid.Int64Range(0, 3).Draw(t, "start"), end: rapid.Int64Range(0, 5).Draw(t, "end"), instance: instance, id: id}
				if rapid.Bool().Draw(t, "part") {
					b.usage = amounts{"ram": rapid.SampledFrom([]planner.Amount{0, 1}).Draw(t, "ram")}
				}
				standing, slots = append(standing, b), append(slots, b.slot())
			}
			before := o.Digest()
			changed := o.With(ref(instance), id, slots)
			if o.Digest() != before || changed.Digest() != overlay(standing).Digest() {
				t.Fatalf("after a change of %s on %s, of %v stands %+v", id, instance, standing, changed)
			}
			o = changed
		}
	})
}
