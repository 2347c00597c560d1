package booking

import (
	"cmp"
	"slices"
	"time"

	"oc-scheduler/store/planner"
)

// Conflict is a stretch of the window in which one dimension of an instance is short.
type Conflict struct {
	Start     time.Time      `json:"start"`
	End       time.Time      `json:"end"`
	Dimension string         `json:"dimension"`
	Requested planner.Amount `json:"requested"`
	Free      planner.Amount `json:"free"`
	By        []Taker        `json:"by"` // who takes a positive amount there
}

// lister finds the conflicts of one result, within bounds.
type lister struct {
	window planner.Interval
	steps  budget
	left   int  // conflicts that may still be listed
	cut    bool // more was to be said
}

func newLister(w planner.Interval) *lister {
	return &lister{window: w, steps: maxSteps / 4, left: maxConflicts}
}

// closest is the candidate with the least time in conflict, ties going to the first by id, and its
// conflicts sorted by start and dimension; nil when there is no candidate.
func (l *lister) closest(it *item, loads []load) (*candidate, []Conflict) {
	var best *candidate
	var least []shortage
	var leastTime int64
	for _, c := range it.candidates {
		if l.steps < 0 {
			l.cut = true
			break
		}
		shortages := l.shortages(c, it, &loads[c.nth])
		if t := covered(shortages); best == nil || t < leastTime {
			best, least, leastTime = c, shortages, t
		}
	}
	if len(least) > l.left {
		least, l.cut = least[:l.left], true
	}
	conflicts := make([]Conflict, 0, len(least))
	for _, s := range least {
		if l.steps < 0 {
			l.cut = true
			break
		}
		conflicts = append(conflicts, Conflict{instant(s.Start), instant(s.End), s.dimension, s.requested, s.free, l.takers(best, it.need.Whole, s)})
	}
	l.left -= len(conflicts)
	return best, conflicts
}

// shortage is a conflict in the making.
type shortage struct {
	planner.Interval
	dimension       string
	requested, free planner.Amount
	used            bool // something is, at some moment
}

func (l *lister) shortages(c *candidate, it *item, beside *load) (list []shortage) {
	seen := 0
	for _, k := range constraints(c.instance, it.need, beside, l.window) {
		for interval, use := range k.timeline.Steps(k.Start, k.End) {
			seen++
			free := k.free(use)
			if free >= k.requested {
				continue
			}
			if n := len(list) - 1; n >= 0 && list[n].dimension == k.dimension && list[n].End == interval.Start && list[n].free == free {
				list[n].End = interval.End // neighbours that differ only in what the client can't see
				list[n].used = list[n].used || use > 0
				continue
			}
			list = append(list, shortage{interval, k.dimension, k.requested, free, use > 0})
		}
	}
	l.steps.spend(1 + seen/2)
	slices.SortStableFunc(list, func(a, b shortage) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// covered is the length of the union of intervals sorted by start.
func covered(list []shortage) (total int64) {
	var end int64
	for i, s := range list {
		if i == 0 || s.Start > end {
			end = s.Start
		}
		if s.End > end {
			total += s.End - end
			end = s.End
		}
	}
	return total
}
