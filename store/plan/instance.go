package plan

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"oc-scheduler/store/planner"
)

// instance is what is taken of one instance. Its slots stand by how long they are: those that meet a time begin
// no longer before it than they last, so that few others are looked at.
type instance struct{ byLength []class }

// class is the slots that last 2^n nanoseconds or more, and less than twice that.
type class struct {
	n     int
	slots []*planner.Slot // by start
}

func classOf(s *planner.Slot) int { return bits.Len64(uint64(s.End-s.Start)) - 1 }

func (in *instance) add(e *entry) {
	for i := range e.slots {
		s := &e.slots[i]
		if s.Start >= s.End {
			continue
		}
		c, found := in.class(classOf(s))
		if !found {
			in.byLength = slices.Insert(in.byLength, c, class{n: classOf(s)})
		}
		list := &in.byLength[c].slots
		at, _ := slices.BinarySearchFunc(*list, s, byStart)
		*list = slices.Insert(*list, at, s)
	}
}

func (in *instance) drop(e *entry) (empty bool) {
	for i := range e.slots {
		s := &e.slots[i]
		c, found := in.class(classOf(s))
		if !found {
			continue
		}
		list := &in.byLength[c].slots
		if at, found := slices.BinarySearchFunc(*list, s, byStart); found {
			*list = slices.Delete(*list, at, at+1)
		}
		if len(*list) == 0 {
			in.byLength = slices.Delete(in.byLength, c, c+1)
		}
	}
	return len(in.byLength) == 0
}

func (in *instance) class(n int) (at int, found bool) {
	return slices.BinarySearchFunc(in.byLength, n, func(c class, n int) int { return cmp.Compare(c.n, n) })
}

// within calls f with each slot that meets an interval, until it returns false.
func (in *instance) within(w planner.Interval, f func(*planner.Slot) bool) {
	for _, c := range in.byLength {
		longest := int64(math.MaxInt64)
		if c.n < 62 {
			longest = 1<<(c.n+1) - 1
		}
		first := int64(math.MinInt64)
		if w.Start > math.MinInt64+longest {
			first = w.Start - longest
		}
		at, _ := slices.BinarySearchFunc(c.slots, first, func(s *planner.Slot, first int64) int { return cmp.Compare(s.Start, first) })
		for _, s := range c.slots[at:] {
			if s.Start >= w.End {
				break
			}
			if s.End > w.Start && !f(s) {
				return
			}
		}
	}
}

// all calls f with each slot.
func (in *instance) all(f func(*planner.Slot)) {
	for _, c := range in.byLength {
		for _, s := range c.slots {
			f(s)
		}
	}
}

func byStart(a, b *planner.Slot) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(a.BookingID, b.BookingID))
}
