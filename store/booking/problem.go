package booking

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// Problem is a workflow's needs laid on the planners of its peers: all of a check but the window.
// It is safe for concurrent use; what it works out is kept for the next window.
type Problem struct {
	workflowID string
	items      []*item  // in the order of their ids, in which they are placed
	groups     []*group // the items of one resource of one peer: groups don't affect each other
	fixed      fixed    // the groups whose items have no choice of instance
	missing    []string // peers without a planner, sorted
	warnings   []string
	never      bool // some item fits no instance, however empty
}

// item is one compute or storage need and where it may go.
type item struct {
	need       workflow.Need
	selected   string   // the instance the request names; empty: any
	state      standing // what is known before any window
	candidates []*candidate
	nth        int // its place among Problem.items
}

// standing is what is known of an item before any window is looked at.
type standing int

const (
	placeable standing = iota
	planless           // the peer has no planner
	hopeless           // no such resource or instance, or none is large enough
)

// NewProblem lays the needs of w on planners; index returns nil for a peer without one. selected
// names instances by resource id or, taking precedence, by "peer/resource".
func NewProblem(w *workflow.Workflow, index func(peerID string) *planner.Index, selected map[string]string) *Problem {
	p := &Problem{workflowID: w.ID()}
	indexes := make(map[string]*planner.Index, len(w.Peers()))
	for _, peer := range w.Peers() {
		x := index(peer)
		if x == nil {
			p.missing = append(p.missing, peer)
			continue
		}
		indexes[peer] = x
		p.warnings = append(p.warnings, x.Planner().Warnings()...)
	}
	groups := map[[2]string]*group{}
	unused := maps.Clone(selected)
	for n, need := range w.Needs() {
		it := &item{need: need, selected: choice(selected, unused, need), nth: n}
		p.items = append(p.items, it)
		key := [2]string{need.PeerID, need.ResourceID}
		g := groups[key]
		if g == nil {
			g = newGroup(indexes[need.PeerID], need)
			groups[key] = g
			p.groups = append(p.groups, g)
		}
		p.join(g, it)
	}
	for _, key := range slices.Sorted(maps.Keys(unused)) {
		p.warn("selected_instances names %q, which the workflow does not use", key)
	}
	for _, g := range p.groups {
		if g.isFixed() {
			p.fixed.groups = append(p.fixed.groups, g)
		}
	}
	return p
}

// choice is the selected instance for a need; keys that are used leave unused.
func choice(selected, unused map[string]string, need workflow.Need) string {
	plain, full := need.ResourceID, need.PeerID+"/"+need.ResourceID
	delete(unused, plain)
	delete(unused, full)
	if instance, ok := selected[full]; ok {
		return instance
	}
	return selected[plain]
}

// join adds an item to its group and settles what needs no window.
func (p *Problem) join(g *group, it *item) {
	g.items = append(g.items, it)
	switch {
	case g.planless:
		it.state = planless
		return
	case g.resource == nil:
		p.give(it, "peer %q has no resource %q", it.need.PeerID, it.need.ResourceID)
		return
	}
	for _, c := range g.candidates {
		if it.selected == "" || it.selected == c.instance.ID() {
			it.candidates = append(it.candidates, c)
		}
	}
	switch {
	case len(it.candidates) == 0 && it.selected != "":
		p.give(it, "resource %q of peer %q has no instance %q", it.need.ResourceID, it.need.PeerID, it.selected)
	case len(it.candidates) == 0:
		p.give(it, "resource %q of peer %q has no instances", it.need.ResourceID, it.need.PeerID)
	case !slices.ContainsFunc(it.candidates, func(c *candidate) bool { return c.holdsEmpty(it.need, &load{}) }):
		p.give(it, "resource %q of peer %q has no instance that could ever hold what is needed%s", it.need.ResourceID, it.need.PeerID, it.lack())
	}
}

// give gives an item up, with a warning that says why.
func (p *Problem) give(it *item, format string, args ...any) {
	it.state, p.never = hopeless, true
	p.warn("item %q: %s", it.need.ItemID, fmt.Sprintf(format, args...))
}

func (p *Problem) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// lack names the dimensions in which the need is above all candidates' capacities.
func (it *item) lack() (s string) {
	for _, q := range it.need.Demand {
		largest := slices.MaxFunc(it.candidates, func(a, b *candidate) int {
			return cmp.Compare(a.instance.Capacity(q.Dimension), b.instance.Capacity(q.Dimension))
		}).instance.Capacity(q.Dimension)
		if q.Amount > largest {
			s += fmt.Sprintf(": %s %s of at most %s", q.Amount, q.Dimension, largest)
		}
	}
	return s
}
