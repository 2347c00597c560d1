package booking

import (
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// group is one resource of one peer with the items that name it. Their loads add up on an
// instance, so they are placed together; items of different groups never meet.
type group struct {
	planless   bool              // the peer has no planner
	resource   *planner.Resource // nil: unknown
	candidates []*candidate      // the resource's instances by id
	items      []*item           // by id
}

func newGroup(x *planner.Index, need workflow.Need) *group {
	if x == nil {
		return &group{planless: true}
	}
	g := &group{resource: x.Resource(need.ResourceID)}
	if g.resource == nil {
		return g
	}
	for n, instance := range g.resource.Instances() {
		g.candidates = append(g.candidates, &candidate{instance: instance, nth: n})
	}
	return g
}

// isFixed: every item has one instance only, so the group needs the sum of its demands and a
// search can treat it like any other constraint.
func (g *group) isFixed() bool {
	for _, it := range g.items {
		if len(it.candidates) != 1 {
			return false
		}
	}
	return true
}

// place puts every item, by id, on the first instance that holds it beside those placed before.
// It reports each decision to tell and stops early when tell returns false.
func (g *group) place(fits fit, tell func(it *item, on *candidate, loads []load) bool) {
	loads := make([]load, len(g.candidates))
	for _, it := range g.items {
		on := it.firstFit(fits, loads)
		if on != nil {
			loads[on.nth].add(it.need)
		}
		if !tell(it, on, loads) {
			return
		}
	}
}

// fit reports whether a candidate holds a need beside a load.
type fit func(c *candidate, need workflow.Need, beside *load) bool

func (it *item) firstFit(fits fit, loads []load) *candidate {
	for _, c := range it.candidates {
		if fits(c, it.need, &loads[c.nth]) {
			return c
		}
	}
	return nil
}

// placed reports whether the group finds a place for all its items.
func (g *group) placed(fits fit) bool {
	ok := true
	g.place(fits, func(_ *item, on *candidate, _ []load) bool {
		ok = on != nil
		return ok
	})
	return ok
}
