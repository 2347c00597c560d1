package planner

import (
	"maps"
	"slices"
)

// Resources are the ids of the resources that have capacities, in byte order.
func (x *Index) Resources() []string { return slices.Sorted(maps.Keys(x.resources)) }

// Capacities is all that the instance has, by dimension in byte order.
func (i *Instance) Capacities() []Quantity {
	p := i.index.planner
	first, end := p.capacitiesOf(i.row)
	all := make([]Quantity, 0, end-first)
	for place := first; place < end; place++ {
		all = append(all, Quantity{p.dimension(p.dims[place]), p.amount(place)})
	}
	return all
}
