package booking

import (
	"maps"
	"math"
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
	warnings   warnings
	never      bool // some item fits no instance, however empty
}

// NewProblem lays the needs of w on planners; index returns nil for a peer without one. selected
// names instances by resource id or, taking precedence, by "peer/resource". It fails with a
// fault.List when there are too many items for too many instances to try.
func NewProblem(w *workflow.Workflow, index func(peerID string) *planner.Index, selected map[string]string) (*Problem, error) {
	p := &Problem{workflowID: w.ID()}
	p.fixed.lasts, _ = w.Duration()
	indexes := p.gather(w, index)
	groups := map[[2]string]*group{}
	unused := maps.Clone(selected)
	steps := budget(maxSteps)
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
		g.join(it, &steps)
		p.judge(g, it)
	}
	if len(p.items) == 0 {
		p.warnings.add("the workflow needs neither compute nor storage: it fits any window")
	}
	for _, key := range slices.Sorted(maps.Keys(unused)) {
		p.warnings.add("selected_instances names %q, which the workflow does not use", key)
	}
	p.fix(&steps)
	if steps < 0 {
		return nil, tooLarge()
	}
	return p, nil
}

// gather collects the planners that there are, with what is to be said of them.
func (p *Problem) gather(w *workflow.Workflow, index func(peerID string) *planner.Index) map[string]*planner.Index {
	indexes := make(map[string]*planner.Index, len(w.Peers()))
	for _, peer := range w.Peers() {
		x := index(peer)
		if x == nil {
			p.missing = append(p.missing, peer)
			continue
		}
		indexes[peer] = x
		for _, line := range x.Planner().Warnings() {
			p.warnings.add("%s", line)
		}
	}
	return indexes
}

// fix collects the groups without a choice. Whether one of them could ever be placed is certain.
func (p *Problem) fix(steps *budget) {
	for _, g := range p.groups {
		if !g.isFixed() {
			continue
		}
		p.fixed.groups = append(p.fixed.groups, g)
		if !p.never && !g.placed(holdsEmpty(ever), steps) && *steps >= 0 {
			need := g.items[0].need
			p.warnings.add("the items on resource %q of peer %q can never be there together", need.ResourceID, need.PeerID)
		}
	}
}

// ever is a window that cuts off no need.
var ever = planner.Interval{Start: 0, End: math.MaxInt64}

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
