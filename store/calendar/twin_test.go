package calendar_test

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"oc-scheduler/store/calendar"
)

// The twin walks over real minutes and looks at the clocks at each: it knows no transitions, and shares
// no code with the package under test but the zones.

const clocks = "2006-01-02T15:04"

// minutes are real minutes in order, and what the clocks show at each.
type minutes struct {
	at    []time.Time
	shown []string
	clock []time.Time      // the same, as if it were UTC
	when  map[string][]int // is a local time shown
}

// look walks along [from, to) and some days around it.
func look(zone *time.Location, from, to time.Time) *minutes {
	m := &minutes{when: map[string][]int{}}
	const around = 2 * 24 * time.Hour
	for t := from.Add(-around).Truncate(time.Minute); t.Before(to.Add(around)); t = t.Add(time.Minute) {
		local := t.In(zone)
		shown := local.Format(clocks)
		m.when[shown] = append(m.when[shown], len(m.at))
		year, month, day := local.Date()
		m.clock = append(m.clock, time.Date(year, month, day, local.Hour(), local.Minute(), 0, 0, time.UTC))
		m.at, m.shown = append(m.at, local), append(m.shown, shown)
	}
	return m
}

// found is an occurrence that the twin found.
type found struct {
	nominal string
	start   time.Time
	shifted bool
}

// twin is when occurrences are in [from, to).
func (m *minutes) twin(matches func(local time.Time) bool, instants bool, gap calendar.Gap, ambiguity calendar.Ambiguity, from, to time.Time) (lines []string) {
	var all []found
	if instants {
		for i := range m.at {
			if matches(m.clock[i]) {
				all = append(all, m.regular(i))
			}
		}
	} else {
		for local := m.clock[0]; local.Before(m.clock[len(m.clock)-1]); local = local.Add(time.Minute) {
			if matches(local) {
				all = append(all, m.wallClock(local.Format(clocks), gap, ambiguity)...)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(a.start.Compare(b.start), cmp.Compare(btoi(a.shifted), btoi(b.shifted)), strings.Compare(a.nominal, b.nominal))
	})
	all = slices.CompactFunc(all, func(a, b found) bool { return a.start.Equal(b.start) })
	for _, f := range all {
		if !f.start.Before(from) && f.start.Before(to) {
			lines = append(lines, line(f.nominal, f.start))
		}
	}
	return lines
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func line(nominal string, start time.Time) string {
	return nominal + " " + start.UTC().Format(clocks+"Z")
}

func (m *minutes) regular(i int) found {
	return found{m.shown[i] + m.at[i].Format(":05-07:00"), m.at[i], false}
}

func (m *minutes) wallClock(shown string, gap calendar.Gap, ambiguity calendar.Ambiguity) []found {
	when := m.when[shown]
	switch {
	case len(when) == 0 && gap == calendar.Skip:
		return nil
	case len(when) == 0:
		return m.afterGap(shown)
	case ambiguity == calendar.Last:
		when = when[len(when)-1:]
	case ambiguity != calendar.Both:
		when = when[:1]
	}
	var list []found
	for _, i := range when {
		list = append(list, m.regular(i))
	}
	return list
}

// afterGap is the minute before which the clocks passed over a local time.
func (m *minutes) afterGap(shown string) []found {
	for i := 1; i < len(m.at); i++ {
		if m.shown[i-1] < shown && shown < m.shown[i] {
			return []found{{shown + m.at[i-1].Format(":05-07:00"), m.at[i], true}}
		}
	}
	return nil
}
