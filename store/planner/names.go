package planner

import (
	"slices"
	"strings"

	"oc-scheduler/store/id"
)

// names numbers the names of one document in the order in which they are first seen.
type names struct {
	numbers map[string]uint32
	list    []string
}

// number is the number of name.
func (n *names) number(name []byte) uint32 {
	if number, seen := n.numbers[string(name)]; seen {
		return number
	}
	return n.add(string(name))
}

func (n *names) add(name string) uint32 {
	if n.numbers == nil {
		n.numbers = make(map[string]uint32)
	}
	number := uint32(len(n.list))
	n.numbers[name], n.list = number, append(n.list, name)
	return number
}

// identifier is the number of a name that must be an identifier; the error says why it is none.
func (n *names) identifier(name []byte) (uint32, error) {
	if number, seen := n.numbers[string(name)]; seen {
		return number, nil
	}
	s := string(name)
	if err := id.Check(s); err != nil {
		return 0, err
	}
	return n.add(s), nil
}

// reset forgets all names.
func (n *names) reset() {
	clear(n.numbers)
	clear(n.list)
	n.list = n.list[:0]
}

// ranks is the place of each number when the names are sorted, and the sorted names.
func (n *names) ranks() (rank []uint32, sorted []string) {
	order := make([]uint32, len(n.list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(n.list[a], n.list[b]) })
	rank, sorted = make([]uint32, len(order)), make([]string, len(order))
	for place, number := range order {
		rank[number], sorted[place] = uint32(place), n.list[number]
	}
	return rank, sorted
}
