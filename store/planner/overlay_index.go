package planner

import (
	"cmp"
	"maps"
	"slices"
)

// beside is what counts on one instance beside what its planner says: bookings that stand, and the
// slots of the planner that are such bookings come back, which would count twice.
type beside struct {
	alone    *Instance // as the planner has it
	bookings *standing
	returned []uint32 // ascending
}

var nobody = newStanding(nil)

func (b *beside) equal(other *beside) bool {
	return b.bookings.equal(other.bookings) && slices.Equal(b.returned, other.returned)
}

// With is an index of the same planner in which o counts: its bookings are in use, and slots of the
// planner with the id of one of them are not, wherever they lie. Bookings of what has no capacities
// are left out. An overlay that x has counts no more. What x has built is not built again for
// instances on which the same counts as before; where that holds for all, With returns x.
func (x *Index) With(o *Overlay) *Index {
	if o == x.under {
		return x
	}
	alone := cmp.Or(x.alone, x)
	laid := alone.beside(o)
	if len(laid) == 0 {
		return alone
	}
	y := &Index{planner: alone.planner, alone: alone, under: o, resources: maps.Clone(alone.resources)}
	changed := len(laid) != len(x.laid)
	for _, row := range slices.Sorted(maps.Keys(laid)) {
		i := &Instance{index: y, resource: laid[row].alone.resource, row: row, beside: laid[row], places: y.places}
		y.places += kinds * i.measures()
		y.laid = append(y.laid, i)
		changed = changed || x.laidOn(i) == nil
	}
	if !changed {
		return x
	}
	y.replaceInstances()
	y.shelf.Store(y.emptyShelf())
	y.adopt(x)
	return y
}

// beside is what of o counts where, by the row of the instance.
func (x *Index) beside(o *Overlay) map[int]*beside {
	laid := map[int]*beside{}
	if o == nil {
		return laid
	}
	on := func(i *Instance) *beside {
		b := laid[i.row]
		if b == nil {
			b = &beside{alone: i, bookings: nobody}
			laid[i.row] = b
		}
		return b
	}
	for ref, s := range o.instances {
		if i := x.Resource(ref.ResourceID).Instance(ref.InstanceID); i != nil {
			on(i).bookings = s
		}
	}
	returned := x.planner.marks.of(o)
	for _, r := range x.resources {
		for _, i := range r.instances {
			shared, own := x.planner.among(returned, i.resource), x.planner.among(returned, i.row)
			if len(shared)+len(own) > 0 {
				on(i).returned = slices.Concat(shared, own)
			}
		}
	}
	return laid
}

// laidOn is the instance of x on which the same counts as on i; nil when there is none.
func (x *Index) laidOn(i *Instance) *Instance {
	n, ok := slices.BinarySearchFunc(x.laid, i.row, func(i *Instance, row int) int { return cmp.Compare(i.row, row) })
	if !ok || !x.laid[n].beside.equal(i.beside) {
		return nil
	}
	return x.laid[n]
}

// replaceInstances puts those with something beside in the places of those without.
func (x *Index) replaceInstances() {
	for n, i := range x.laid {
		name := x.planner.name(i.resource)
		if n == 0 || x.laid[n-1].resource != i.resource {
			x.resources[name] = &Resource{slices.Clone(x.resources[name].instances)}
		}
		x.resources[name].instances[i.row-i.resource-1] = i
	}
}

// adopt takes over the timelines that an earlier index has built, where they still hold.
func (x *Index) adopt(earlier *Index) {
	from, to := earlier.shelf.Load(), x.shelf.Load()
	for _, i := range x.laid {
		before := earlier.laidOn(i)
		if before == nil {
			continue
		}
		for k := range kinds * i.measures() {
			if t := from.timelines[before.places+k].Load(); t != nil {
				to.timelines[i.places+k].Store(t)
				t.moveTo(to, x.alone.shelf.Load())
			}
		}
	}
}
