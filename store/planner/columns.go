package planner

import (
	"cmp"
	"math"
	"slices"

	"oc-scheduler/store/fault"
)

// Bounds of one planner. No real one comes near; they keep a hostile one from costing more than its size.
const (
	MaxDimensions = int(whole) // different ones
	MaxSteps      = 1 << 20    // see Planner.Steps: all timelines together fit into one index
)

// planner sorts what was read into columns. The error is a fault.List.
func (d *decoder) planner() (*Planner, error) {
	if len(d.dimensions.list) > MaxDimensions {
		d.faults.Add(fault.Root, "more than %d dimensions", MaxDimensions)
		return nil, d.faults
	}
	p := &Planner{peerID: d.peerID, generatedAt: d.generatedAt}
	idRank, ids := d.ids.ranks()
	dimRank, dims := d.dimensions.ranks()
	bookingRank, bookings := d.bookings.ranks()
	d.renumber(idRank, dimRank, bookingRank)
	slices.SortFunc(d.instances, byRow)
	d.fillNames(p, dims, ids)
	d.assign(p, ids)
	p.dims, p.usage = slices.Grow(d.room.dims[:0], len(d.usage)), slices.Grow(d.room.usage[:0], len(d.slots))
	d.room.amounts = slices.Grow(d.room.amounts[:0], len(d.usage))
	d.fillRows(p)
	d.fillSlots(p)
	p.marks = d.marks(bookings)
	d.room.dims, d.room.usage = p.dims, p.usage // for the next one
	p.shareDimensions()
	p.dims, p.usage = slices.Clone(p.dims), slices.Clone(p.usage)
	p.pack(d.room.amounts)
	if n := p.Steps(); n > MaxSteps {
		d.faults.Add("$.schedule", "takes %d amounts, at most %d are possible: a slot counts for each dimension it takes and once more, one without instance so for each instance", n, MaxSteps)
		return nil, d.faults
	}
	return p, nil
}

// renumber puts places in the order of names for the numbers by first sight.
func (d *decoder) renumber(ids, dimensions, bookings []uint32) {
	for i := range d.instances {
		renumber(ids, &d.instances[i].resource, &d.instances[i].id)
	}
	for i := range d.slots {
		renumber(ids, &d.slots[i].resource, &d.slots[i].id)
		renumber(bookings, &d.slots[i].booking)
	}
	for i := range d.usage {
		renumber(dimensions, &d.usage[i].dimension)
	}
	if slices.IsSorted(dimensions) {
		return
	}
	for _, i := range d.instances {
		slices.SortFunc(d.usage[i.first:i.last], byDimension)
	}
	for _, s := range d.slots {
		slices.SortFunc(d.usage[s.first:s.last], byDimension)
	}
}

func renumber(rank []uint32, numbers ...*uint32) {
	for _, n := range numbers {
		if *n != none {
			*n = rank[*n]
		}
	}
}

func byDimension(a, b usage) int { return cmp.Compare(a.dimension, b.dimension) }

// byRow is the order of the rows: none+1 is 0, so that a resource comes before its instances.
func byRow(a, b instance) int {
	return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.id+1, b.id+1))
}

// fillNames writes all names one after the other.
func (d *decoder) fillNames(p *Planner, dimensions, ids []string) {
	names := d.room.names[:0]
	p.dimensions = make([]uint32, len(dimensions))
	for i, name := range dimensions {
		names = append(names, name...)
		p.dimensions[i] = uint32(len(names))
	}
	p.rows = make([]row, len(d.instances))
	for i, instance := range d.instances {
		names = append(names, ids[instance.name()]...)
		p.rows[i].name = uint32(len(names))
	}
	p.names, d.room.names = string(names), names
}

// fill appends a span of the usage column to dimensions and amounts; it is where they end then.
func (d *decoder) fill(p *Planner, s span) (end uint32) {
	for _, u := range d.usage[s.first:s.last] {
		p.dims, d.room.amounts = append(p.dims, uint16(u.dimension)), append(d.room.amounts, u.amount)
	}
	return uint32(len(p.dims))
}

// pack keeps the amounts, in one word each if that will do for all.
func (p *Planner) pack(amounts []Amount) {
	words := 1
	if p.wide = slices.ContainsFunc(amounts, func(a Amount) bool { return a > math.MaxUint32 }); p.wide {
		words = 2
	}
	p.amounts = make([]uint32, 0, words*len(amounts))
	for _, a := range amounts {
		if p.wide {
			p.amounts = append(p.amounts, uint32(a>>32))
		}
		p.amounts = append(p.amounts, uint32(a))
	}
}

// fillRows makes the columns of resources and capacities.
func (d *decoder) fillRows(p *Planner) {
	resources := 0
	for _, i := range d.instances {
		if i.id == none {
			resources++
		}
	}
	p.resources = make([]uint32, 0, resources)
	for n, i := range d.instances {
		if i.id == none {
			p.resources = append(p.resources, uint32(n))
		}
		p.rows[n].capacities = d.fill(p, i.span)
	}
}
