package calendar

import "time"

// wall is a local time as the seconds that UTC would have counted when its clocks showed it.
type wall int64

const (
	minute wall = 60
	day         = 24 * 60 * minute
)

// next is the first local time of c in [from, before).
func (c *Cron) next(from, before wall) (w wall, ok bool) {
	w = from + (minute-from%minute)%minute // the next full one
	for w < before {
		year, month, today, at := w.date()
		if !c.months.has(int(month)) {
			w = midnight(year, month+1, 1)
			continue
		}
		if c.names(month, today, w.weekday()) {
			if clock, ok := c.clock(at); ok {
				return w - at + clock, w-at+clock < before
			}
		}
		w += day - at
	}
	return 0, false
}

// date is the date, and the seconds since midnight.
func (w wall) date() (year int, month time.Month, today int, at wall) {
	t := time.Unix(int64(w), 0).UTC()
	year, month, today = t.Date()
	return year, month, today, w - midnight(year, month, today)
}

func midnight(year int, month time.Month, day int) wall {
	return wall(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix())
}

func (w wall) weekday() time.Weekday { return time.Unix(int64(w), 0).UTC().Weekday() }

// names tells whether c names a day.
func (c *Cron) names(month time.Month, today int, weekday time.Weekday) bool {
	byDate, byWeek := c.days.has(today), c.weekdays.has(int(weekday))
	if c.either {
		return byDate || byWeek
	}
	return byDate && byWeek
}

// clock is the first time of c on a day, at or after a time on it, both since midnight.
func (c *Cron) clock(at wall) (wall, bool) {
	h, m := int(at/(60*minute)), int(at/minute%60)
	hour, ok := c.hours.next(h)
	if hour == h {
		if first, ok := c.minutes.next(m); ok {
			return wall(hour*60+first) * minute, true
		}
		hour, ok = c.hours.next(h + 1)
	}
	first, _ := c.minutes.next(0)
	return wall(hour*60+first) * minute, ok
}
