package planner

import (
	"cmp"
	"iter"
	"math"
	"sync"
	"time"

	"oc-scheduler/store/timetext"
)

// Interval is half-open, [Start, End), in Unix nanoseconds. An End of math.MaxInt64 is never reached.
type Interval struct{ Start, End int64 }

// NewInterval is [start, end), which may be empty or end before it starts. It returns timetext.ErrRange
// for times that an Interval can't hold.
func NewInterval(start, end time.Time) (Interval, error) {
	first, err1 := timetext.Nanoseconds(start)
	last, err2 := timetext.Nanoseconds(end)
	return Interval{first, last}, cmp.Or(err1, err2)
}

// Timeline is how much of one dimension of one instance is in use over time: a step function.
type Timeline struct {
	capacity Amount
	at       []int64        // when the steps begin; the first at the beginning of time
	use      maxima[Amount] // in use from then on

	mu    sync.RWMutex
	gaps  map[Amount]*Gaps
	held  int64  // bytes
	shelf *shelf // on which these count
}

// maxGaps is how many amounts a timeline remembers the gaps of. Workflows ask for the same few amounts.
const maxGaps = 64

// nothing is the timeline of what an instance does not have.
var nothing = newTimeline(0, flat, new(shelf))

func newTimeline(capacity Amount, s steps, on *shelf) *Timeline {
	t := &Timeline{capacity: capacity, at: s.at, use: newMaxima(s.use), shelf: on}
	t.grow(int64(128 + 8*(cap(s.at)+cap(s.use)+len(t.use.tree))))
	return t
}

// grow notes that t holds more bytes.
func (t *Timeline) grow(bytes int64) {
	t.held += bytes
	t.shelf.weight.Add(bytes)
}

// moveTo has what t holds count on another shelf, unless it stands on the one where it stays.
func (t *Timeline) moveTo(another, stays *shelf) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shelf != stays {
		t.shelf = another
		another.weight.Add(t.held)
	}
}

// Capacity is how much there is in all.
func (t *Timeline) Capacity() Amount { return t.capacity }

// MaxUse is the most that is in use at any moment of [start, end); 0 when that is empty. It may
// exceed the capacity, and is math.MaxInt64 when it is that or more.
func (t *Timeline) MaxUse(start, end int64) Amount {
	if start >= end {
		return 0
	}
	return t.use.over(lastAtOrBefore(t.at, start), lastAtOrBefore(t.at, end-1)+1)
}

// Steps is the use over [start, end), cut at it: intervals that follow each other without a break,
// neighbours of different use.
func (t *Timeline) Steps(start, end int64) iter.Seq2[Interval, Amount] {
	return func(yield func(Interval, Amount) bool) {
		for i := lastAtOrBefore(t.at, start); start < end; i++ {
			stop := end
			if i+1 < len(t.at) {
				stop = min(stop, t.at[i+1])
			}
			if !yield(Interval{start, stop}, t.use.values[i]) {
				return
			}
			start = stop
		}
	}
}

// steps are all of them.
func (t *Timeline) steps() steps { return steps{t.at, t.use.values} }

// saturated tells whether more is in use, at some moment, than an Amount can say.
func (t *Timeline) saturated() bool { return t.MaxUse(math.MinInt64, math.MaxInt64) == math.MaxInt64 }

// Len is how many steps the timeline has: what building a list of gaps costs.
func (t *Timeline) Len() int { return len(t.at) }

// Kept reports whether Gaps has its answer at hand and need not build it.
func (t *Timeline) Kept(amount Amount) bool {
	if amount <= 0 || amount > t.capacity || len(t.at) == 1 {
		return true
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.gaps[amount] != nil
}

// Gaps is when amount is free. Nothing at all is always free, even where more is booked than there is.
func (t *Timeline) Gaps(amount Amount) *Gaps {
	switch {
	case amount <= 0:
		return always
	case amount > t.capacity:
		return never
	case len(t.at) == 1:
		return always
	}
	t.mu.RLock()
	g := t.gaps[amount]
	t.mu.RUnlock()
	if g != nil {
		return g
	}
	return t.remember(amount, gapsBelow(t.steps(), t.capacity-amount))
}

// remember keeps g for the next who asks, in the place of any other when there are many.
func (t *Timeline) remember(amount Amount, g *Gaps) *Gaps {
	t.mu.Lock()
	defer t.mu.Unlock()
	if earlier := t.gaps[amount]; earlier != nil {
		return earlier
	}
	if t.gaps == nil {
		t.gaps = make(map[Amount]*Gaps)
	}
	for other, old := range t.gaps {
		if len(t.gaps) < maxGaps {
			break
		}
		t.grow(-old.weight())
		delete(t.gaps, other)
	}
	t.gaps[amount] = g
	t.grow(g.weight())
	return g
}
