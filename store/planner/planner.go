// Package planner holds what one peer still has: capacities and booked slots, the amounts in use
// over time, and the gaps in which something fits. It is pure: no clock, no goroutine, no network.
//
// A [Planner] is what was published, decoded once into columns, immutable and small, so that tens of
// thousands stay in memory. An [Index] answers questions about one planner; it builds a [Timeline]
// for one dimension of one instance when first asked, and [Gaps] for one amount likewise, keeps
// them within bounds, and is safe for concurrent use. Everything it hands out is immutable.
//
// Bookings of ours that stand are laid over an index as an [Overlay], and count once, whether the
// planner shows them yet or not. Where none is, an index costs and answers the same as without.
//
// Times are Unix nanoseconds; every interval is half-open, [start, end).
package planner

import (
	"iter"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// Planner is one peer's capacities and schedule.
//
// Rows are owners of slots: each resource is a row, followed by the rows of its instances. The slots
// of a resource's own row are those without instance; they apply to every instance of it.
// Resources, instances and dimensions are in byte order of their names, the slots of a row by
// start. Ends are positions after the last element: row i owns slots rows[i-1].slots to rows[i].slots.
type Planner struct {
	peerID      string
	generatedAt int64
	warnings    []string

	names      string   // of the dimensions and then of the rows, one after the other
	dimensions []uint32 // ends of their names
	rows       []row
	resources  []uint32 // rows of the resources

	slots []Interval
	usage []uint32 // of each slot, where it ends in the next two; nil when all use the same dimensions

	dims    []uint16 // of the amounts; those of slots once when all use the same
	amounts []uint32 // capacities of the rows, then usage of the slots, by dimension; zeros of slots are left out
	marks   *marks   // of the slots that are bookings of ours; nil when none is
	wide    bool     // amounts take two words each, the high one first: one of them needs more than one

	digest, told atomic.Pointer[[16]byte] // computed when first asked for
}

// row says where what belongs to a row ends.
type row struct{ name, capacities, slots uint32 }

// whole stands in dims, alone, for a slot that takes all of its instance.
const whole = uint16(none & math.MaxUint16)

// PeerID is the peer whose planner this is.
func (p *Planner) PeerID() string { return p.peerID }

// GeneratedAt is when the peer made the planner, in UTC.
func (p *Planner) GeneratedAt() time.Time { return time.Unix(0, p.generatedAt).UTC() }

// Warnings says which bookings are ignored because their resource or instance has no capacities:
// a few sorted lines; and what Warn has added. The caller must not change them.
func (p *Planner) Warnings() []string { return p.warnings }

// Warn adds lines to the warnings, for whoever makes a planner: before others see it.
func (p *Planner) Warn(lines ...string) {
	p.warnings = append(slices.Clip(p.warnings), lines...)
	p.digest.Store(nil)
	p.told.Store(nil)
}

// Dimensions are the names of all that is told of, in byte order.
func (p *Planner) Dimensions() iter.Seq[string] {
	return func(yield func(string) bool) {
		for number := range p.dimensions {
			if !yield(p.dimension(uint16(number))) {
				return
			}
		}
	}
}

// Counts is how many resources have capacities, and how many slots they have.
func (p *Planner) Counts() (resources, slots int) { return len(p.resources), len(p.slots) }

// rowsOf is the row of the i-th resource and the end of its instances' rows.
func (p *Planner) rowsOf(i int) (first, end int) {
	end = len(p.rows)
	if i+1 < len(p.resources) {
		end = int(p.resources[i+1])
	}
	return int(p.resources[i]), end
}

// dimension is the name of the dimension of that number.
func (p *Planner) dimension(number uint16) string {
	first := uint32(0)
	if number > 0 {
		first = p.dimensions[number-1]
	}
	return p.names[first:p.dimensions[number]]
}

// name is the id of a row's resource or instance.
func (p *Planner) name(row int) string {
	first := uint32(0)
	switch {
	case row > 0:
		first = p.rows[row-1].name
	case len(p.dimensions) > 0:
		first = p.dimensions[len(p.dimensions)-1]
	}
	return p.names[first:p.rows[row].name]
}

func (p *Planner) slotsOf(row int) (first, end int) {
	if row > 0 {
		first = int(p.rows[row-1].slots)
	}
	return first, int(p.rows[row].slots)
}

func (p *Planner) capacitiesOf(row int) (first, end int) {
	if row > 0 {
		first = int(p.rows[row-1].capacities)
	}
	return first, int(p.rows[row].capacities)
}

// capacities is how many there are.
func (p *Planner) capacities() int {
	if len(p.rows) == 0 {
		return 0
	}
	return int(p.rows[len(p.rows)-1].capacities)
}

// amount is the one at that place.
func (p *Planner) amount(place int) Amount {
	if p.wide {
		return Amount(p.amounts[2*place])<<32 | Amount(p.amounts[2*place+1])
	}
	return Amount(p.amounts[place])
}

// usageOf is which dimensions a slot uses, and the place of the first amount.
func (p *Planner) usageOf(slot int) (dims []uint16, first int) {
	first = p.capacities()
	if p.usage == nil {
		dims = p.dims[first:]
		return dims, first + slot*len(dims)
	}
	if slot > 0 {
		first = int(p.usage[slot-1])
	}
	return p.dims[first:p.usage[slot]], first
}

// takes is how much of a measure a slot takes.
func (p *Planner) takes(slot int, m measure) Amount {
	dims, first := p.usageOf(slot)
	switch {
	case m.number == whole && len(dims) > 0:
		return Unit
	case len(dims) == 1 && dims[0] == whole:
		return m.capacity
	}
	if i, ok := slices.BinarySearch(dims, m.number); ok {
		return p.amount(first + i)
	}
	return 0
}
