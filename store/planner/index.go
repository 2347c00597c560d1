package planner

import (
	"sync"
	"sync/atomic"
)

// Index answers questions about one planner, and the bookings laid over it. What it needs for that it
// builds when first asked and keeps; it is safe for concurrent use.
type Index struct {
	planner   *Planner
	resources map[string]*Resource

	marked func() ends // of the planner's slots that are bookings of ours; nil where some are laid over it

	alone *Index      // what bookings are laid over; nil: nothing is
	laid  []*Instance // on which something counts beside the planner, by row
	under *Overlay    // what was laid over it last

	places   int // on the shelf
	shelf    atomic.Pointer[shelf]
	building sync.Mutex // one timeline is built at a time, so that many who ask build it once
}

// shelf holds the timelines that were built, those of an instance side by side.
type shelf struct {
	timelines []atomic.Pointer[Timeline]
	weight    atomic.Int64
}

// maxWeight bounds the memory of one index, in bytes. A full shelf is replaced by an empty one;
// who still uses what stood on it is not disturbed.
const maxWeight = 64 << 20

// NewIndex prepares questions about p. It takes time and memory for the instances, not for slots.
func NewIndex(p *Planner) *Index {
	x := &Index{planner: p, resources: make(map[string]*Resource, len(p.resources)), places: p.capacities() + len(p.rows)}
	x.marked = sync.OnceValue(func() ends {
		return newEnds(len(p.marks.slots), func(k int) int64 { return p.slots[p.marks.slots[k]].End })
	})
	x.shelf.Store(x.emptyShelf())
	for i, row := range p.resources {
		x.resources[p.name(int(row))] = x.newResource(p.rowsOf(i))
	}
	return x
}

func (x *Index) emptyShelf() *shelf {
	return &shelf{timelines: make([]atomic.Pointer[Timeline], x.places)}
}

// Planner is what the index is about.
func (x *Index) Planner() *Planner { return x.planner }

// Resource is the resource of that name, nil when it has no capacities.
func (x *Index) Resource(id string) *Resource { return x.resources[id] }

// Weight is about how much memory the index holds now, in bytes, without the planner, and without the
// index that bookings are laid over.
func (x *Index) Weight() int64 {
	return int64(64*len(x.planner.rows)+8*x.places) + x.shelf.Load().weight.Load()
}

func (s *shelf) full() bool { return s.weight.Load() > maxWeight }

// at is the timeline in place, nil when there is none or the shelf must be replaced.
func (s *shelf) at(place int) *Timeline {
	if s.full() {
		return nil
	}
	return s.timelines[place].Load()
}

// timeline is the one in place of the shelf; build makes it when there is none.
func (x *Index) timeline(place int, build func(*shelf) *Timeline) *Timeline {
	if t := x.shelf.Load().at(place); t != nil {
		return t
	}
	x.building.Lock()
	defer x.building.Unlock()
	s := x.shelf.Load()
	if t := s.at(place); t != nil {
		return t
	}
	if s.full() {
		s = x.emptyShelf()
		x.shelf.Store(s)
	}
	t := build(s)
	s.timelines[place].Store(t)
	return t
}
