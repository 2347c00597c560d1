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

// fillSlots makes the columns of the slots: by row, then by time, by usage, and by booking, so that
// equal schedules make equal columns.
func (d *decoder) fillSlots(p *Planner) {
	slices.SortFunc(d.slots, func(a, b slot) int {
		if c := cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)); c != 0 {
			return c
		}
		byUsage := slices.CompareFunc(d.usage[a.first:a.last], d.usage[b.first:b.last], func(a, b usage) int {
			return cmp.Or(byDimension(a, b), cmp.Compare(a.amount, b.amount))
		})
		return cmp.Or(byUsage, cmp.Compare(a.booking, b.booking))
	})
	p.slots = make([]Interval, len(d.slots))
	for i, s := range d.slots {
		p.slots[i], p.usage = s.Interval, append(p.usage, d.fill(p, s.span))
		p.rows[s.row].slots = uint32(i + 1)
	}
	for i := 1; i < len(p.rows); i++ {
		p.rows[i].slots = max(p.rows[i].slots, p.rows[i-1].slots)
	}
}

// shareDimensions leaves of the dimensions of the slots but one list when all are the same.
func (p *Planner) shareDimensions() {
	var first []uint16
	if len(p.slots) > 0 {
		first, _ = p.usageOf(0)
	}
	for slot := range p.slots {
		if dims, _ := p.usageOf(slot); !slices.Equal(dims, first) {
			return
		}
	}
	p.dims, p.usage = p.dims[:p.capacities()+len(first)], nil
}

// Steps is how many changes of use all timelines of the planner have, at most half of: each slot
// that counts does so once for the occupancy and once for each dimension it takes, on each instance it takes it of.
func (p *Planner) Steps() (n int) {
	for i := range p.resources {
		resource, end := p.rowsOf(i)
		capacities, _ := p.capacitiesOf(resource)
		_, last := p.capacitiesOf(end - 1)
		n += p.stepsOf(resource, end-resource-1, last-capacities)
		for instance := resource + 1; instance < end; instance++ {
			first, last := p.capacitiesOf(instance)
			n += p.stepsOf(instance, 1, last-first)
		}
	}
	return n
}

// stepsOf counts the slots of a row that apply to a number of instances with so many capacities.
func (p *Planner) stepsOf(row, instances, capacities int) (n int) {
	without := p.void(row)
	for slot, end := p.slotsOf(row); slot < end; slot++ {
		if len(without) > 0 && without[0] == uint32(slot) {
			without = without[1:]
			continue
		}
		switch dims, _ := p.usageOf(slot); {
		case len(dims) == 1 && dims[0] == whole:
			n += instances + capacities
		default:
			n += instances * (1 + len(dims))
		}
	}
	return n
}
