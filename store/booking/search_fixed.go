package booking

import (
	"sync"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// fixed joins all groups without a choice: their gap lists are intersected once, one for each part of
// the window in which something is needed, whatever is asked afterwards.
type fixed struct {
	groups []*group
	once   sync.Once
	list   []finder
}

func (f *fixed) finders() []finder {
	f.once.Do(f.join)
	return f.list
}

// maxJoined bounds what is joined for needs of a part of the window only, in steps of timelines; the
// groups that are left are searched as if they had a choice.
const maxJoined = 1 << 20

func (f *fixed) join() {
	steps := budget(maxJoined)
	var spans []workflow.Span
	gaps := map[workflow.Span][]*planner.Gaps{}
	for _, g := range f.groups {
		list, ok := g.gaps(&steps)
		if !ok {
			f.list = append(f.list, greedy{g})
			continue
		}
		for _, d := range list {
			if gaps[d.span] == nil {
				spans = append(spans, d.span)
			}
			gaps[d.span] = append(gaps[d.span], d.gaps)
		}
	}
	for _, span := range spans {
		f.list = append(f.list, during{span, planner.Intersect(gaps[span]...)})
	}
}

// gaps lists where there is room for all items of a group without a choice; false when that takes more
// steps than there are.
func (g *group) gaps(steps *budget) (list []during, ok bool) {
	loads := make([]load, len(g.candidates))
	for _, it := range g.items {
		loads[it.candidates[0].nth].add(it.need)
	}
	for n, l := range loads {
		c := g.candidates[n]
		for _, gaps := range c.gaps(l.throughout) {
			list = append(list, during{workflow.Span{}, gaps})
		}
		for _, p := range l.parts {
			together := l.throughout.plus(&p.sum)
			if !steps.spend(c.steps(together)) {
				return nil, false
			}
			for _, gaps := range c.gaps(together) {
				list = append(list, during{p.Span, gaps})
			}
		}
	}
	return list, true
}

// gaps lists where the instance has room for some items together, one list a dimension.
func (c *candidate) gaps(s sum) (list []*planner.Gaps) {
	switch {
	case s.whole > 0 && len(s.amounts) > 0:
		return append(list, c.instance.Occupancy().Gaps(2*planner.Unit))
	case s.whole > 0:
		return append(list, c.instance.Occupancy().Gaps(s.whole))
	}
	for _, q := range s.amounts {
		list = append(list, c.instance.Timeline(q.Dimension).Gaps(q.Amount))
	}
	return list
}

// steps is how many the timelines have that gaps are sought of.
func (c *candidate) steps(s sum) (n int) {
	if s.whole > 0 {
		return c.instance.Occupancy().Len()
	}
	for _, q := range s.amounts {
		n += c.instance.Timeline(q.Dimension).Len()
	}
	return n
}
