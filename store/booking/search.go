package booking

import (
	"math"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
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
	start, ok = agree(p.finders(length), from, length, last(from, length), &steps)
	return start, ok, steps < 0
}

// last is the latest start of a window that a search from that time may answer.
func last(from, length int64) int64 {
	end := int64(math.MaxInt64) - length
	if from > end-int64(Horizon) {
		return end
	}
	return from + int64(Horizon)
}

// agree moves t on until no finder pushes it any further.
func agree(finders []finder, t, length, last int64, steps *budget) (int64, bool) {
	if t > last {
		return 0, false
	}
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
	return t, true
}

func (p *Problem) finders(length int64) []finder {
	list := p.fixed.finders(length)
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

// during finds the windows of which a part lies in one gap.
type during struct {
	span workflow.Span
	gaps *planner.Gaps
}

func (d during) next(t, length int64, steps *budget) (int64, bool) {
	if !steps.spend(1) {
		return 0, false
	}
	part := d.span.Of(planner.Interval{Start: t, End: t + length})
	if part.Start == part.End { // the window is over before
		return t, true
	}
	start, ok := d.gaps.Earliest(part.Start, part.End-part.Start)
	return t + (start - part.Start), ok
}
