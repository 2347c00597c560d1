package workflow

import (
	"math"
	"time"

	"oc-scheduler/store/planner"
)

// Span is a part of a window, counted from the window's start. The zero Span is all of it.
type Span struct{ Start, End time.Duration }

// Of is that part of a window, cut at it: empty, at its end, when it begins later.
func (s Span) Of(window planner.Interval) planner.Interval {
	if s == (Span{}) {
		return window
	}
	length := window.End - window.Start
	return planner.Interval{
		Start: window.Start + min(int64(s.Start), length),
		End:   window.Start + min(int64(s.End), length),
	}
}

// spans are when the items are needed: from the earliest start to the latest end of the processing
// items they are linked to, whatever the direction. Those linked to none that takes time are needed
// throughout.
func spans(items []item, pairs []pair, starts []planner.Amount) []Span {
	list, lasts := make([]Span, len(items)), make([]bool, len(items))
	for i := range list {
		list[i] = Span{math.MaxInt64, 0}
	}
	for _, p := range pairs {
		step, need := p.from, p.to
		if items[need].kind == Processing {
			step, need = need, step
		}
		if items[step].kind != Processing || !items[need].isNeed() {
			continue
		}
		s := &list[need]
		s.Start = min(s.Start, time.Duration(starts[step]))
		s.End = max(s.End, time.Duration(items[step].end(starts[step])))
		lasts[need] = lasts[need] || items[step].duration > 0
	}
	for i := range list {
		if !lasts[i] {
			list[i] = Span{}
		}
	}
	return list
}
