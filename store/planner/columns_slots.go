package planner

import (
	"cmp"
	"slices"
)

// assign finds the row of each slot; those that have none are dropped, with a warning.
func (d *decoder) assign(p *Planner, ids []string) {
	ignored := make(lost)
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
		ignored[owner{s.resource, s.id}]++
	}
	d.slots = kept
	p.warnings = ignored.warnings(p.peerID, ids)
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
