package booking

import (
	"fmt"
	"slices"
	"strings"

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
	classes    map[string]int
	possible   []bool // by class: some instance could hold such an item, if it were empty
}

func newGroup(x *planner.Index, need workflow.Need) *group {
	g := &group{classes: map[string]int{}}
	if x == nil {
		g.planless = true
		return g
	}
	if g.resource = x.Resource(need.ResourceID); g.resource == nil {
		return g
	}
	for n, instance := range g.resource.Instances() {
		g.candidates = append(g.candidates, &candidate{instance: instance, nth: n})
	}
	return g
}

// join adds an item; its class is that of the items that ask for the same.
func (g *group) join(it *item, steps *budget) {
	g.items = append(g.items, it)
	it.planless = g.planless
	it.candidates = g.candidates
	if it.selected != "" {
		at, found := slices.BinarySearchFunc(g.candidates, it.selected, func(c *candidate, id string) int { return strings.Compare(c.instance.ID(), id) })
		it.candidates = nil
		if found {
			it.candidates = g.candidates[at : at+1]
		}
	}
	key := fmt.Sprint(it.selected, it.need.Whole, it.need.Demand, it.need.Span)
	class, known := g.classes[key]
	if !known {
		class = len(g.classes)
		g.classes[key] = class
		g.possible = append(g.possible, it.couldBePlaced(steps))
	}
	it.class = class
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

// fit reports whether a candidate holds a need beside a load.
type fit func(c *candidate, need workflow.Need, beside *load) bool

// place puts every item, by id, on the first instance that holds it beside those placed before.
// It reports each decision to tell and stops early when tell returns false. An instance that does
// not hold an item holds none of its class from then on, for loads only grow: so many like items
// take no more tests than one, and one each. Each test is a step or more; when they are used up,
// nothing fits any more.
func (g *group) place(fits fit, steps *budget, tell func(it *item, on *candidate, loads []load) bool) {
	loads := make([]load, len(g.candidates))
	tried := make([]int, len(g.classes))
	for _, it := range g.items {
		var on *candidate
		first := &tried[it.class]
		for ; *first < len(it.candidates); *first++ {
			c := it.candidates[*first]
			beside := &loads[c.nth]
			if !steps.spend(it.cost(beside)) {
				break
			}
			if fits(c, it.need, beside) {
				on = c
				beside.add(it.need)
				break
			}
		}
		if !tell(it, on, loads) {
			return
		}
	}
}

// placed reports whether the group finds a place for all its items.
func (g *group) placed(fits fit, steps *budget) bool {
	ok := true
	g.place(fits, steps, func(_ *item, on *candidate, _ []load) bool {
		ok = on != nil
		return ok
	})
	return ok
}
