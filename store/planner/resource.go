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
	places        int     // where its timelines begin on the index's shelf
	beside        *beside // nil: only the planner counts
}

// newResource makes the resource of a row; its instances have the rows that follow, before end.
func (x *Index) newResource(row, end int) *Resource {
	instances := make([]Instance, end-row-1)
	r := &Resource{make([]*Instance, len(instances))}
	for n := range instances {
		i := &instances[n]
		i.index, i.resource, i.row = x, row, row+1+n
		first, _ := x.planner.capacitiesOf(i.row)
		i.places = first + i.row // each row before has a place for its occupancy
		r.instances[n] = i
	}
	return r
}

// Instances are the instances by id, in byte order. The caller must not change the list.
func (r *Resource) Instances() []*Instance { return r.instances }

// Instance is the instance of that id; nil when there is none, and when r is nil.
func (r *Resource) Instance(id string) *Instance {
	if r == nil {
		return nil
	}
	n, ok := slices.BinarySearchFunc(r.instances, id, func(i *Instance, id string) int { return strings.Compare(i.ID(), id) })
	if !ok {
		return nil
	}
	return r.instances[n]
}

// ID is the instance's name within its resource.
func (i *Instance) ID() string { return i.index.planner.name(i.row) }

// Capacity is how much the instance has of a dimension in all, 0 of an unknown one.
func (i *Instance) Capacity(dimension string) Amount {
	m, _ := i.measure(dimension)
	return m.capacity
}

// Timeline is the use of a dimension over time. That of an unknown dimension has no capacity and
// no use.
func (i *Instance) Timeline(dimension string) *Timeline {
	m, ok := i.measure(dimension)
	if !ok {
		return nothing
	}
	return i.timeline(m)
}

// Occupancy is how many slots take anything at all of the instance, as amounts of one, over time; its
// capacity is one. It serves needs of the whole instance.
func (i *Instance) Occupancy() *Timeline { return i.timeline(i.occupancy()) }

// measure is something that slots take of an instance: a dimension, or whether they take anything.
type measure struct {
	nth      int    // of the instance's
	number   uint16 // of the dimension; whole: all of them
	capacity Amount
}

// measures is how many an instance has.
func (i *Instance) measures() int {
	first, end := i.index.planner.capacitiesOf(i.row)
	return end - first + 1
}

// measure finds a dimension among the instance's capacities.
func (i *Instance) measure(dimension string) (measure, bool) {
	p := i.index.planner
	first, end := p.capacitiesOf(i.row)
	k, ok := slices.BinarySearchFunc(p.dims[first:end], dimension, func(number uint16, name string) int {
		return strings.Compare(p.dimension(number), name)
	})
	if !ok {
		return measure{}, false
	}
	return measure{k, p.dims[first+k], p.amount(first + k)}, true
}

func (i *Instance) occupancy() measure { return measure{i.measures() - 1, whole, Unit} }
