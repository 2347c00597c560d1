package planner

import (
	"slices"
	"strings"

	"oc-scheduler/store/id"
)

// names numbers the names of one document in the order in which they are first seen.
type names struct {
	numbers map[string]uint32
	list    []string // and behind its end those of an earlier document, which is likely to be alike

	order, rank []uint32 // reused by ranks
	sorted      []string
}

// number is the number of name.
func (n *names) number(name []byte) uint32 {
	if number, seen := n.numbers[string(name)]; seen {
		return number
	}
	return n.add(n.intern(name))
}

func (n *names) add(name string) uint32 {
	if n.numbers == nil {
		n.numbers = make(map[string]uint32)
	}
	number := uint32(len(n.list))
	n.numbers[name], n.list = number, append(n.list, name)
	return number
}

// intern is the name as a string, that of an earlier document when it stood in the same place there.
func (n *names) intern(name []byte) string {
	if place := len(n.list); place < cap(n.list) {
		if earlier := n.list[:place+1][place]; earlier == string(name) {
			return earlier
		}
	}
	return string(name)
}

// identifier is the number of a name that must be an identifier; the error says why it is none.
func (n *names) identifier(name []byte) (uint32, error) {
	if number, seen := n.numbers[string(name)]; seen {
		return number, nil
	}
	s := n.intern(name)
	if err := id.Check(s); err != nil {
		return 0, err
	}
	return n.add(s), nil
}

// reset begins another document.
func (n *names) reset() {
	clear(n.numbers)
	n.list = n.list[:0]
}

// ranks is the place of each number when the names are sorted, and the sorted names; both until the
// next call.
func (n *names) ranks() (rank []uint32, sorted []string) {
	n.order = slices.Grow(n.order[:0], len(n.list))
	for i := range n.list {
		n.order = append(n.order, uint32(i))
	}
	slices.SortFunc(n.order, func(a, b uint32) int { return strings.Compare(n.list[a], n.list[b]) })
	n.rank = append(n.rank[:0], n.order...)
	n.sorted = append(n.sorted[:0], n.list...)
	for place, number := range n.order {
		n.rank[number], n.sorted[place] = uint32(place), n.list[number]
	}
	return n.rank, n.sorted
}
