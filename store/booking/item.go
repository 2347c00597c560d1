package booking

import (
	"cmp"
	"fmt"
	"slices"

	"oc-scheduler/store/workflow"
)

// item is one compute or storage need and where it may go.
type item struct {
	need       workflow.Need
	selected   string       // the instance the request names; empty: any
	candidates []*candidate // shared by the items without a selection
	class      int          // items of a class need the same of the same candidates
	planless   bool         // the peer has no planner
	nth        int          // its place among Problem.items
}

// judge settles what is certain of an item before any window is looked at.
func (p *Problem) judge(g *group, it *item) {
	need := it.need
	switch {
	case g.planless:
	case g.resource == nil:
		p.giveUp(it, "peer %q has no resource %q", need.PeerID, need.ResourceID)
	case len(it.candidates) == 0 && it.selected != "":
		p.giveUp(it, "resource %q of peer %q has no instance %q", need.ResourceID, need.PeerID, it.selected)
	case len(it.candidates) == 0:
		p.giveUp(it, "resource %q of peer %q has no instances", need.ResourceID, need.PeerID)
	case !g.possible[it.class]:
		p.giveUp(it, "resource %q of peer %q has no instance that could ever hold what is needed%s", need.ResourceID, need.PeerID, it.lack())
	}
}

// giveUp notes that an item fits nowhere, with a warning that says why.
func (p *Problem) giveUp(it *item, format string, args ...any) {
	p.never = true
	p.warnings.add("item %q: %s", it.need.ItemID, fmt.Sprintf(format, args...))
}

// cost is how many steps it takes to test one candidate with that load.
func (it *item) cost(beside *load) int {
	return max(1, len(it.need.Demand)) * (1 + beside.meeting(it.need))
}

// couldBePlaced: some candidate would hold the item if it were empty.
func (it *item) couldBePlaced(steps *budget) bool {
	alone := holdsEmpty(ever)
	for _, c := range it.candidates {
		if !steps.spend(it.cost(&nothing)) || alone(c, it.need, &nothing) {
			return true
		}
	}
	return false
}

// lack names the first dimensions in which the need is above all candidates' capacities.
func (it *item) lack() (s string) {
	const most = 3
	named := 0
	for _, q := range it.need.Demand {
		largest := slices.MaxFunc(it.candidates, func(a, b *candidate) int {
			return cmp.Compare(a.instance.Capacity(q.Dimension), b.instance.Capacity(q.Dimension))
		}).instance.Capacity(q.Dimension)
		if q.Amount <= largest {
			continue
		}
		if named++; named > most {
			return s + " …"
		}
		s += fmt.Sprintf(": %s %s of at most %s", q.Amount, q.Dimension, largest)
	}
	return s
}
