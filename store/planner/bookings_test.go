package planner_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/planner"
)

// kept are bookings in the plainest way.
type kept []booking

func (k kept) Meeting(at planner.Ref, i planner.Interval) iter.Seq[*planner.Slot] {
	return func(yield func(*planner.Slot) bool) {
		for _, b := range k {
			s := b.slot()
			if ref(b.instance) == at && s.Start < s.End && max(s.Start, i.Start) < min(s.End, i.End) && !yield(&s) {
				return
			}
		}
	}
}

func (k kept) Stands(id string) bool {
	return slices.ContainsFunc(k, func(b booking) bool { return b.id == id && b.start < b.end })
}

// TestMaxUseOfAWindowAlone is what an index with all bookings laid over it tells.
func TestMaxUseOfAWindowAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		x, alone := w.index(t), planner.NewIndex(w.planner(t))
		for range 8 {
			during := planner.Interval{Start: origin + moment(rt, "start"), End: origin + moment(rt, "end")}
			for n, i := range x.Resource("r").Instances() {
				for asked, by := range map[string]*planner.Instance{"laid over": i, "alone": alone.Resource("r").Instances()[n]} {
					for dim := range w.capacities[i.ID()] {
						if got, want := by.MaxUse(dim, during, kept(w.standing)), i.Timeline(dim).MaxUse(during.Start, during.End); got != want {
							rt.Fatalf("%s of %s in %v, %s: %d, want %d", dim, i.ID(), during, asked, got, want)
						}
					}
					if got, want := by.MaxOccupancy(during, kept(w.standing)), i.Occupancy().MaxUse(during.Start, during.End); got != want {
						rt.Fatalf("%s in %v, %s: %d, want %d", i.ID(), during, asked, got, want)
					}
				}
				if got := i.MaxUse("tea", during, kept(w.standing)); got != 0 {
					rt.Fatalf("%d of tea is in use", got)
				}
			}
		}
	})
}

// TestFirm against a look at each moment: neither the planner's slots nor what gives way.
func TestFirm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		x := w.index(t)
		w.slots = slices.DeleteFunc(slices.Clone(w.standing), func(b booking) bool { return b.yields })
		for _, i := range x.Resource("r").Instances() {
			for now := range int64(worldEnd) {
				for dim := range w.capacities[i.ID()] {
					if got, want := i.Firm().Timeline(dim).MaxUse(origin+now, origin+now+1), w.use(i.ID(), dim, now); got != want {
						rt.Fatalf("%s of %s at %d: %d, want %d", dim, i.ID(), now, got, want)
					}
				}
				if got, want := i.Firm().Occupancy().MaxUse(origin+now, origin+now+1), w.occupied(i.ID(), now); got != want {
					rt.Fatalf("%s at %d: %d, want %d", i.ID(), now, got, want)
				}
			}
			if i.Firm().Timeline("tea").Capacity() != 0 {
				rt.Fatal("there is tea")
			}
		}
	})
}

// byStart are bookings of one instance as a replica may keep them, all equally long.
type byStart struct {
	slots  []planner.Slot
	ids    map[string]bool
	length int64
}

func (s byStart) Meeting(_ planner.Ref, i planner.Interval) iter.Seq[*planner.Slot] {
	at, _ := slices.BinarySearchFunc(s.slots, i.Start-s.length+1, func(b planner.Slot, start int64) int { return int(b.Start - start) })
	return func(yield func(*planner.Slot) bool) {
		for ; at < len(s.slots) && s.slots[at].Start < i.End && yield(&s.slots[at]); at++ {
		}
	}
}

func (s byStart) Stands(id string) bool { return s.ids[id] }

// BenchmarkMaxUseOfAWindow asks about the time of one of so many bookings over the year, all of which the
// planner shows.
func BenchmarkMaxUseOfAWindow(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprintf("ours=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			s := byStart{ids: map[string]bool{}, length: year / int64(n)}
			for k := range n {
				start := origin + int64(k)*s.length
				s.slots = append(s.slots, planner.Slot{
					Interval: planner.Interval{Start: start, End: start + s.length}, BookingID: fmt.Sprint("oc-", k),
					Usage: []planner.Quantity{{Dimension: cores, Amount: planner.Unit}},
				})
				s.ids[s.slots[k].BookingID] = true
			}
			p, err := planner.New(map[planner.Ref][]planner.Quantity{at: {{Dimension: cores, Amount: 64 * planner.Unit}}}, map[planner.Ref][]planner.Slot{at: s.slots})
			if err != nil {
				b.Fatal(err)
			}
			i := planner.NewIndex(p).Resource("r").Instance("i")
			i.MaxUse(cores, planner.Interval{Start: origin, End: origin + s.length}, s)
			for b.Loop() {
				start := origin + r.Int64N(year-2*s.length)
				if i.MaxUse(cores, planner.Interval{Start: start, End: start + s.length}, s) != planner.Unit {
					b.Fatal("a booking counts twice, or not at all")
				}
			}
		})
	}
}
