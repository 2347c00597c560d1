package calendar

import (
	"errors"
	"iter"
	"math"
	"time"
)

// Schedule is when occurrences are.
type Schedule struct {
	Cron
	Zone *time.Location
	Gap
	Ambiguity
}

// Occurrence is one time of a schedule.
type Occurrence struct {
	Nominal time.Time // local, with its offset; its text names the occurrence
	Start   time.Time // in UTC
}

// Horizon is how far ahead the first occurrence of a schedule may lie.
const Horizon = 366 * 24 * time.Hour

// ErrNever is returned by Next.
var ErrNever = errors.New("nothing happens within 366 days")

// Times lie between these, as everywhere.
var earliest, latest = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64).Truncate(time.Second)

// Next is the first occurrence that starts at t or after it. It returns ErrNever when there is none
// within Horizon.
func (s Schedule) Next(t time.Time) (Occurrence, error) {
	for o := range s.From(t) {
		if o.Start.Sub(t) > Horizon {
			break
		}
		return o, nil
	}
	return Occurrence{}, ErrNever
}

// From are all occurrences that start at t or after it, in order, each start later than the one before,
// until what times can say ends (2262).
func (s Schedule) From(t time.Time) iter.Seq[Occurrence] {
	return func(yield func(Occurrence) bool) {
		if t.Before(earliest) {
			t = earliest
		}
		for !t.After(latest) {
			p := s.periodAt(t)
			if !s.shifted(p, t, yield) || !s.within(p, t, yield) || p.endless {
				return
			}
			t = p.end
		}
	}
}

// period is a time during which the clocks run on; they may run on before and after it as well.
type period struct {
	start, end            time.Time
	endless               bool
	before, offset, after wall // seconds ahead of UTC: of the period before, its own, of the one after
}

func (s Schedule) periodAt(t time.Time) (p period) {
	p.start, p.end = t.In(s.Zone).ZoneBounds()
	p.offset = offsetAt(t.In(s.Zone))
	p.before, p.after = p.offset, p.offset
	if !p.start.IsZero() {
		p.before = offsetAt(p.start.Add(-1))
	}
	switch p.endless = p.end.IsZero() || p.end.After(latest); {
	case p.endless:
		p.end = latest.Add(time.Second)
	case !p.end.After(t): // the last day of a leap year, which Go forgets in far years; no clocks change on it
		p.end = t.Add(24 * time.Hour)
	}
	p.after = offsetAt(p.end.In(s.Zone))
	return p
}

func offsetAt(t time.Time) wall {
	_, offset := t.Zone()
	return wall(offset)
}

// first and last are what the clocks show at a period's start, and what they would at its end.
func (p period) first() wall { return wall(p.start.Unix()) + p.offset }
func (p period) last() wall  { return wall(p.end.Unix()) + p.offset }

// shifted yields what the clocks skipped at the start of a period, when that is t or later.
func (s Schedule) shifted(p period, t time.Time, yield func(Occurrence) bool) (more bool) {
	if s.instants || s.Gap == Skip || p.before >= p.offset || p.start.Before(t) {
		return true
	}
	resumed := p.first()
	if _, regular := s.next(resumed, resumed+1); regular {
		return true
	}
	skipped, ok := s.next(resumed-(p.offset-p.before), resumed)
	return !ok || yield(Occurrence{nominal(skipped, p.before), p.start.UTC()})
}

// within yields what happens in a period at t or later.
func (s Schedule) within(p period, t time.Time, yield func(Occurrence) bool) (more bool) {
	first, last := p.first(), p.last()
	if !s.instants && s.Ambiguity != Last && s.Ambiguity != Both {
		first += max(0, p.before-p.offset) // what was shown before
	}
	if !s.instants && s.Ambiguity == Last {
		last -= max(0, p.offset-p.after) // what will be shown again
	}
	if t.After(p.start) {
		first = max(first, wall(t.Add(time.Second-1).Unix())+p.offset)
	}
	for w, ok := s.next(first, last); ok; w, ok = s.next(w+1, last) {
		o := nominal(w, p.offset)
		if !yield(Occurrence{o, o.UTC()}) {
			return false
		}
	}
	return true
}

// nominal is a local time with its offset.
func nominal(w, offset wall) time.Time {
	return time.Unix(int64(w-offset), 0).In(time.FixedZone("", int(offset)))
}
