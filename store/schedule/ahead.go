package schedule

import (
	"iter"
	"time"
)

// How far occurrences are booked ahead.
const (
	AheadFor = 14 * 24 * time.Hour
	AheadMax = 256
)

// times are all occurrences of a request from its start or, without one, from now on: their windows, of a length,
// and their nominal times. Those that overlap skips are Skipped; the others have no state yet.
func (r Request) times(now time.Time, length time.Duration) iter.Seq[Occurrence] {
	start := r.Start
	if start.IsZero() {
		start = now
	}
	return r.after(start, time.Time{}, length, 0)
}

// after are the occurrences from a time on, when so many were before, the last of which that was not skipped ended
// at busy.
func (r Request) after(from, busy time.Time, length time.Duration, before int) iter.Seq[Occurrence] {
	return func(yield func(Occurrence) bool) {
		for at := range r.Times.From(from) {
			if r.Count > 0 && before >= r.Count || !r.Until.IsZero() && at.Start.After(r.Until) {
				return
			}
			before++
			o := Occurrence{Nominal: at.Nominal, Start: at.Start, End: at.Start.Add(length), Bookings: []Taken{}}
			switch {
			case r.Overlap == SkipOverlap && o.Start.Before(busy):
				o.State = Skipped
			default:
				busy = o.End
			}
			if !yield(o) {
				return
			}
		}
	}
}

// First are the occurrences that a new schedule decides on, and whether there are more. length is that of each.
func (r Request) First(now time.Time, length time.Duration) (list []Occurrence, more bool) {
	return ahead(r.times(now, length), now, 0)
}

// Next are the occurrences that a schedule has not decided on and that it has to by now, and whether there are more.
func (r Request) Next(of *Record, now time.Time, length time.Duration) (list []Occurrence, more bool) {
	waiting := 0
	for _, o := range of.Occurrences {
		if o.Start.After(now) {
			waiting++
		}
	}
	return ahead(r.Rest(of, now, length), now, waiting)
}

// Rest are all occurrences that a schedule has not decided on.
func (r Request) Rest(of *Record, now time.Time, length time.Duration) iter.Seq[Occurrence] {
	if !r.Recurs {
		return func(func(Occurrence) bool) {}
	}
	n := len(of.Occurrences)
	if n == 0 {
		return r.times(now, length)
	}
	var busy time.Time
	for _, o := range of.Occurrences {
		if o.State != Skipped {
			busy = o.End
		}
	}
	return r.after(of.Occurrences[n-1].Start.Add(1), busy, length, of.Counted)
}

// ahead takes what lies less far ahead than is booked, when so many wait, and always the next one.
func ahead(all iter.Seq[Occurrence], now time.Time, waiting int) (list []Occurrence, more bool) {
	for o := range all {
		later := o.Start.After(now)
		if later && waiting > 0 && (waiting >= AheadMax || o.Start.After(now.Add(AheadFor))) {
			return list, true
		}
		list = append(list, o)
		if later {
			waiting++
		}
	}
	return list, false
}

// MaxPast is how many occurrences that are over a schedule remembers.
const MaxPast = 20

// Trim forgets the oldest occurrences that are over.
func (r *Record) Trim(now time.Time) {
	over := 0
	for over < len(r.Occurrences) && !r.Occurrences[over].End.After(now) {
		over++
	}
	r.Occurrences = r.Occurrences[max(over-MaxPast, 0):]
}

// Due is when the schedule has to be looked at again: when an occurrence begins, and when the last one is over, if
// there are no more. ok is false when all is over.
func (r *Record) Due(now time.Time, more bool) (at time.Time, ok bool) {
	var last time.Time
	for _, o := range r.Occurrences {
		if o.Start.After(now) {
			return o.Start, true
		}
		if o.End.After(last) {
			last = o.End
		}
	}
	if more { // what was decided on last lies in the past: it goes on at once
		return now, true
	}
	return last, last.After(now)
}
