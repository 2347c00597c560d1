package planner

import (
	"slices"
	"strings"
)

// Resource is a set of like instances, e.g. a cluster and its nodes.
type Resource struct{ instances []*Instance }

// Instance is one unit that can be booked, e.g. a node.
type Instance struct {
	index         *Index
	resource, row int
}

// newResource makes the resource of a row; its instances have the rows that follow, before end.
func (x *Index) newResource(row, end int) *Resource {
	instances := make([]Instance, end-row-1)
	r := &Resource{make([]*Instance, len(instances))}
	for i := range instances {
		instances[i] = Instance{x, row, row + 1 + i}
		r.instances[i] = &instances[i]
	}
	return r
}

// Instances are the instances by id, in byte order. The caller must not change the list.
func (r *Resource) Instances() []*Instance { return r.instances }

// ID is the instance's name within its resource.
func (i *Instance) ID() string { return i.index.planner.name(i.row) }

// Capacity is how much the instance has of a dimension in all, 0 of an unknown one.
func (i *Instance) Capacity(dimension string) Amount {
	if place, ok := i.place(dimension); ok {
		return i.index.planner.amount(place)
	}
	return 0
}

// Timeline is the use of a dimension over time. That of an unknown dimension has no capacity and
// no use.
func (i *Instance) Timeline(dimension string) *Timeline {
	place, ok := i.place(dimension)
	if !ok {
		return nothing
	}
	p := i.index.planner
	number, capacity := p.dims[place], p.amount(place)
	return i.index.timeline(place, capacity, func() (begins, ends []edge) {
		return p.gather(i.resource, i.row, func(slot int) Amount { return p.takes(slot, number, capacity) })
	})
}

// Occupancy is how many slots take anything at all of the instance, as amounts of one, over time; its
// capacity is one. It serves needs of the whole instance.
func (i *Instance) Occupancy() *Timeline {
	p := i.index.planner
	return i.index.timeline(p.capacities()+i.row, Unit, func() (begins, ends []edge) {
		return p.gather(i.resource, i.row, p.occupies)
	})
}

// place finds a dimension among the instance's capacities.
func (i *Instance) place(dimension string) (int, bool) {
	p := i.index.planner
	first, end := p.capacitiesOf(i.row)
	k, ok := slices.BinarySearchFunc(p.dims[first:end], dimension, func(number uint16, name string) int {
		return strings.Compare(p.dimension(number), name)
	})
	return first + k, ok
}
