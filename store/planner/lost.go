package planner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// MaxWarnings bounds what is told of one planner.
const MaxWarnings = 20

// owner is whom a slot belongs to; id is none for a whole resource.
type owner struct{ resource, id uint32 }

// lost counts the bookings of what has no capacities, under places in the order of names.
type lost map[owner]int

// warnings is a line for each resource or instance, by name; they name no peer when it is empty.
func (l lost) warnings(peer string, ids []string) []string {
	if len(l) == 0 {
		return nil
	}
	owners := slices.SortedFunc(maps.Keys(l), func(a, b owner) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.id+1, b.id+1))
	})
	if peer != "" {
		peer = fmt.Sprintf("peer %q: ", peer)
	}
	more := len(owners) - MaxWarnings
	lines := make([]string, 0, MaxWarnings+1)
	for _, o := range owners[:min(len(owners), MaxWarnings)] {
		what := fmt.Sprintf("resource %q", ids[o.resource])
		if o.id != none {
			what = fmt.Sprintf("instance %q of %s", ids[o.id], what)
		}
		lines = append(lines, fmt.Sprintf("%sbookings of %s ignored, it has no capacities: %d", peer, what, l[o]))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("%sbookings of %d more resources or instances without capacities ignored", peer, more))
	}
	return lines
}
