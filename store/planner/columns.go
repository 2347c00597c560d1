package planner

import (
	"cmp"
	"slices"
	"strings"
	"unique"

	"oc-scheduler/store/fault"
)

// Bounds of one planner. No real one comes near; they keep a hostile one from costing more than its size.
const (
	maxDimensions = int(whole) // different ones
	maxBookings   = 1 << 22    // slots, one without instance counted for each of its resource's instances
)

// planner sorts what was read into columns. The error is a fault.List.
func (d *decoder) planner() (*Planner, error) {
	if len(d.dimensions.list) > maxDimensions {
		d.faults.Add(fault.Root, "more than %d dimensions", maxDimensions)
		return nil, d.faults
	}
	p := &Planner{peerID: d.peerID, generatedAt: d.generatedAt}
	idRank, ids := d.ids.ranks()
	dimRank, dims := d.dimensions.ranks()
	p.dimensions = make([]unique.Handle[string], len(dims))
	for i, name := range dims {
		p.dimensions[i] = unique.Make(name)
	}
	d.renumber(idRank, dimRank)
	d.fillRows(p, ids)
	d.assign(p, ids)
	d.fillSlots(p)
	if n := p.bookings(); n > maxBookings {
		d.faults.Add("$.schedule", "slots without instance make %d bookings; at most %d are possible", n, maxBookings)
		return nil, d.faults
	}
	return p, nil
}

// renumber puts places in the order of names for the numbers by first sight.
func (d *decoder) renumber(ids, dimensions []uint32) {
	for i := range d.instances {
		renumber(ids, &d.instances[i].resource, &d.instances[i].id)
	}
	for i := range d.slots {
		renumber(ids, &d.slots[i].resource, &d.slots[i].id)
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

// fillRows makes the rows: none+1 is 0, so that a resource comes before its instances.
func (d *decoder) fillRows(p *Planner, ids []string) {
	slices.SortFunc(d.instances, byRow)
	amounts := 0
	var names strings.Builder
	for _, i := range d.instances {
		amounts += int(i.last - i.first)
		names.WriteString(ids[i.name()])
	}
	p.names = strings.Clone(names.String())
	p.rows = make([]row, len(d.instances))
	p.capDims, p.capAmounts = make([]uint16, 0, amounts), make([]Amount, 0, amounts)
	named := 0
	for n, i := range d.instances {
		if i.id == none {
			p.resources = append(p.resources, uint32(n))
		}
		for _, u := range d.usage[i.first:i.last] {
			p.capDims, p.capAmounts = append(p.capDims, uint16(u.dimension)), append(p.capAmounts, u.amount)
		}
		named += len(ids[i.name()])
		p.rows[n] = row{name: uint32(named), capacities: uint32(len(p.capDims))}
	}
	p.resources = slices.Clip(p.resources)
}

func byRow(a, b instance) int {
	return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.id+1, b.id+1))
}

// assign finds the row of each slot; those that have none are dropped, with a warning.
func (d *decoder) assign(p *Planner, ids []string) {
	lost := make(lost)
	kept := d.slots[:0]
	for _, s := range d.slots {
		row, ok := slices.BinarySearchFunc(d.instances, instance{resource: s.resource, id: s.id}, byRow)
		if ok {
			s.row = uint32(row)
			kept = append(kept, s)
			continue
		}
		if _, ok := slices.BinarySearchFunc(d.instances, instance{resource: s.resource, id: none}, byRow); !ok {
			s.id = none
		}
		lost[owner{s.resource, s.id}]++
	}
	d.slots = kept
	p.warnings = lost.warnings(p.peerID, ids)
}

// fillSlots makes the columns of the slots: by row, then by time, and then by usage, so that equal
// schedules make equal columns.
func (d *decoder) fillSlots(p *Planner) {
	slices.SortFunc(d.slots, func(a, b slot) int {
		if c := cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)); c != 0 {
			return c
		}
		return slices.CompareFunc(d.usage[a.first:a.last], d.usage[b.first:b.last], func(a, b usage) int {
			return cmp.Or(byDimension(a, b), cmp.Compare(a.amount, b.amount))
		})
	})
	n, entries := len(d.slots), 0
	for _, s := range d.slots {
		entries += int(s.last - s.first)
	}
	p.slots, p.usageEnds = make([]Interval, n), make([]uint32, n)
	p.usageDims, p.usageAmounts = make([]uint16, 0, entries), make([]Amount, 0, entries)
	for i, s := range d.slots {
		for _, u := range d.usage[s.first:s.last] {
			p.usageDims, p.usageAmounts = append(p.usageDims, uint16(u.dimension)), append(p.usageAmounts, u.amount)
		}
		p.slots[i], p.usageEnds[i] = s.Interval, uint32(len(p.usageDims))
		p.rows[s.row].slots = uint32(i + 1)
	}
	for i := 1; i < len(p.rows); i++ {
		p.rows[i].slots = max(p.rows[i].slots, p.rows[i-1].slots)
	}
}

// bookings counts the slots, those without instance for each instance of their resource.
func (p *Planner) bookings() int {
	n := 0
	for i := range p.resources {
		resource, end := p.rowsOf(i)
		first, shared := p.slotsOf(resource)
		_, last := p.slotsOf(end - 1)
		n += (shared-first)*(end-resource-1) + last - shared
	}
	return n
}
