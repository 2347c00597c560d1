package booking

import (
	"math"
	"sync"

	"oc-scheduler/store/planner"
)

// finder is one constraint of a joint search. next is the first start ≥ t at which [start,
// start+length) meets it; ok is false when there is none or the budget ran out.
type finder interface {
	next(t, length int64, steps *budget) (start int64, ok bool)
}

// earliest is the first start in [from, from+Horizon] at which every group finds its place.
// exhausted says that the search was given up instead.
func (p *Problem) earliest(from, length int64) (start int64, ok, exhausted bool) {
	if p.never || len(p.missing) > 0 {
		return 0, false, false
	}
	steps := budget(maxSteps)
	start, ok = agree(p.finders(), from, length, last(from), &steps)
	return start, ok, steps < 0
}

// last is the latest start a search from that time may answer.
func last(from int64) int64 {
	if from > math.MaxInt64-int64(Horizon) {
		return math.MaxInt64
	}
	return from + int64(Horizon)
}

// agree moves t on until no finder pushes it any further.
func agree(finders []finder, t, length, last int64, steps *budget) (int64, bool) {
	for settled := 0; settled < len(finders); {
		for _, f := range finders {
			next, ok := f.next(t, length, steps)
			if !ok || next > last {
				return 0, false
			}
			if next > t {
				t, settled = next, 0
			}
			if settled++; settled == len(finders) {
				break
			}
		}
	}
	return t, t <= last && t <= math.MaxInt64-length
}

func (p *Problem) finders() []finder {
	list := []finder{&p.fixed}
	for _, g := range p.groups {
		switch {
		case g.isFixed():
		case len(g.items) == 1:
			list = append(list, g.alternatives())
		default:
			list = append(list, greedy{g})
		}
	}
	return list
}

// fixed joins all groups without a choice: their gap lists are intersected once, whatever is asked
// afterwards.
type fixed struct {
	groups []*group
	once   sync.Once
	gaps   *planner.Gaps // nil: nothing is asked
}

func (f *fixed) next(t, length int64, steps *budget) (int64, bool) {
	f.once.Do(f.join)
	switch {
	case !steps.spend(1):
		return 0, false
	case f.gaps == nil:
		return t, true
	}
	return f.gaps.Earliest(t, length)
}

func (f *fixed) join() {
	var all []*planner.Gaps
	for _, g := range f.groups {
		loads := make([]load, len(g.candidates))
		for _, it := range g.items {
			loads[it.candidates[0].nth].add(it.need)
		}
		for n, l := range loads {
			all = append(all, g.candidates[n].gaps(l)...)
		}
	}
	if len(all) > 0 {
		f.gaps = planner.Intersect(all...)
	}
}

// gaps lists where the instance is free for a load, one list a dimension.
func (c *candidate) gaps(l load) (list []*planner.Gaps) {
	if l.whole {
		return []*planner.Gaps{c.instance.Occupancy().Gaps(planner.Unit)}
	}
	for _, q := range l.amounts {
		list = append(list, c.instance.Timeline(q.Dimension).Gaps(q.Amount))
	}
	return list
}
