package main

import (
	"strings"
	"time"

	"oc-scheduler/store/timetext"
)

// when is a time as people write it: as RFC 3339 has it, now+2h, 09:00, tomorrow 09:00, 2026-12-01, or 2026-12-01 09:00;
// without a zone in that of this machine.
type when string

// at is the time as requests have it. An hour alone is the first one that is not before a time. What can't be
// read stays as it is: the replica says what is wrong.
func (w when) at(from time.Time) string {
	if t, ok := w.read(from); ok {
		return t.UTC().Format(time.RFC3339Nano)
	}
	return string(w)
}

// from is the time that a second one, which is written beside it, is not before.
func (w when) from(now time.Time) time.Time {
	if t, ok := w.read(now); ok {
		return t
	}
	if t, err := time.Parse(time.RFC3339, string(w)); err == nil {
		return t
	}
	return now
}

func (w when) read(from time.Time) (t time.Time, ok bool) {
	text := string(w)
	if offset, relative := strings.CutPrefix(text, "now"); relative {
		return shifted(time.Now(), offset)
	}
	if t, ok = onDay(text, from); ok && t.Before(from.Truncate(time.Second)) {
		t = t.AddDate(0, 0, 1)
	}
	if hour, tomorrow := strings.CutPrefix(text, "tomorrow "); tomorrow {
		t, ok = onDay(hour, time.Now().Local().AddDate(0, 0, 1))
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime} {
		if local, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return local, true
		}
	}
	return t, ok
}

// onDay is an hour of the day on which another time is.
func onDay(hour string, of time.Time) (time.Time, bool) {
	for _, layout := range []string{"15:04", time.TimeOnly} {
		if h, err := time.Parse(layout, hour); err == nil && len(hour) == len(layout) {
			of = of.In(time.Local)
			return time.Date(of.Year(), of.Month(), of.Day(), h.Hour(), h.Minute(), h.Second(), 0, time.Local), true
		}
	}
	return time.Time{}, false
}

// shifted is a time and what is written behind it: nothing, +2h or -30m.
func shifted(t time.Time, offset string) (time.Time, bool) {
	if offset == "" {
		return t, true
	}
	d, err := timetext.Duration(offset[1:])
	switch {
	case err != nil:
		return t, false
	case offset[0] == '+':
		return t.Add(d), true
	case offset[0] == '-':
		return t.Add(-d), true
	}
	return t, false
}
