package planner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// maxWarnings bounds what is told of one planner.
const maxWarnings = 20

// owner is whom a slot belongs to; id is none for a whole resource.
type owner struct{ resource, id uint32 }

// lost counts the bookings of what has no capacities, under places in the order of names.
type lost map[owner]int

// warnings is a line for each resource or instance, by name.
func (l lost) warnings(peer string, ids []string) []string {
	if len(l) == 0 {
		return nil
	}
	owners := slices.SortedFunc(maps.Keys(l), func(a, b owner) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.id+1, b.id+1))
	})
	more := len(owners) - maxWarnings
	lines := make([]string, 0, maxWarnings+1)
	for _, o := range owners[:min(len(owners), maxWarnings)] {
		what := fmt.Sprintf("resource %q", ids[o.resource])
		if o.id != none {
			what = fmt.Sprintf("instance %q of %s", ids[o.id], what)
		}
		lines = append(lines, fmt.Sprintf("peer %q: bookings of %s ignored, it has no capacities: %d", peer, what, l[o]))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("peer %q: bookings of %d more resources or instances without capacities ignored", peer, more))
	}
	return lines
}
