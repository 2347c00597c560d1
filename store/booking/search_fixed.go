package booking

import (
	"slices"
	"sync"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// fixed joins all groups without a choice: their gap lists are intersected once, whatever is asked
// afterwards. What is needed for a part of the window is joined by when the window may start.
type fixed struct {
	groups []*group
	lasts  time.Duration // shorter windows cut needs off
	once   sync.Once

	whole  []finder // of what is needed throughout
	starts []finder // of what is needed for a part of windows that are long enough
	parted []finder // the same groups, one by one
}

// finders are those for windows of a length.
func (f *fixed) finders(length int64) []finder {
	f.once.Do(f.join)
	if length >= int64(f.lasts) {
		return slices.Concat(f.whole, f.starts)
	}
	return slices.Concat(f.whole, f.parted)
}

// maxJoined bounds what is joined for needs of a part of the window only, in steps of timelines; the
// groups that are left are searched as if they had a choice.
const maxJoined = 1 << 20

func (f *fixed) join() {
	steps := budget(maxJoined)
	var throughout, starts []*planner.Gaps
	for _, g := range f.groups {
		loads := g.loads()
		parted := slices.ContainsFunc(loads, func(l load) bool { return len(l.parts) > 0 })
		for n := range loads {
			throughout = append(throughout, g.candidates[n].gaps(loads[n].throughout)...)
		}
		if !parted {
			continue
		}
		f.parted = append(f.parted, greedy{g})
		if list, ok := g.starts(loads, &steps); ok {
			starts = append(starts, list...)
		} else {
			f.starts = append(f.starts, greedy{g})
		}
	}
	if len(throughout) > 0 {
		f.whole = []finder{during{workflow.Span{}, planner.Intersect(throughout...)}}
	}
	if len(starts) > 0 {
		f.starts = append(f.starts, start{planner.Intersect(starts...)})
	}
}

// start finds the windows that may start when they do.
type start struct{ gaps *planner.Gaps }

func (s start) next(t, _ int64, steps *budget) (int64, bool) {
	if !steps.spend(1) {
		return 0, false
	}
	return s.gaps.Earliest(t, 1)
}

// loads is what the items of a group without a choice take of each candidate together.
func (g *group) loads() []load {
	loads := make([]load, len(g.candidates))
	for _, it := range g.items {
		loads[it.candidates[0].nth].add(it.need)
	}
	return loads
}

// starts lists when windows may start that have room for all that loads take in parts of them; false when
// that takes more steps than there are.
func (g *group) starts(loads []load, steps *budget) (list []*planner.Gaps, ok bool) {
	for n := range loads {
		for _, p := range loads[n].parts {
			together := loads[n].throughout.plus(&p.sum)
			if !steps.spend(g.candidates[n].steps(together)) {
				return nil, false
			}
			for _, gaps := range g.candidates[n].gaps(together) {
				list = append(list, gaps.Starts(int64(p.Start), int64(p.End)))
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
