package calendar

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// ErrCron is wrapped by every error of ParseCron.
var ErrCron = errors.New("not a cron expression")

// Cron is when something shall be, in local time.
type Cron struct {
	minutes, hours, days, months, weekdays set

	instants bool // the hour field is * or */n
	either   bool // a day that either of the day fields names will do; else both must
}

// set has the bits of its values.
type set uint64

func (s set) has(value int) bool { return s&(1<<value) != 0 }

// next is the least value that is at least least.
func (s set) next(least int) (value int, ok bool) {
	value = bits.TrailingZeros64(uint64(s) >> least << least)
	return value, value < 64
}

// macros are names for expressions.
var macros = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}

// maxCron is how long an expression may be, in bytes. All values of all fields take half of it.
const maxCron = 1000

// ParseCron reads five fields, minute, hour, day of month, month and day of week, or a name such as
// @daily. Fields are lists of values, of ranges, and of steps over ranges; months and weekdays have names
// of three letters; 7 is Sunday, like 0. When neither day field begins with *, a day that one of them
// names will do; else both must. The error, which wraps ErrCron, says what is wrong, and what would be
// right.
func ParseCron(text string) (Cron, error) {
	c, err := parseCron(text)
	if err != nil {
		return Cron{}, fmt.Errorf("%w: %w", ErrCron, err)
	}
	return c, nil
}

func parseCron(text string) (c Cron, err error) {
	if len(text) > maxCron {
		return c, fmt.Errorf("%d bytes, at most %d are possible", len(text), maxCron)
	}
	list := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(list) > 0 && strings.HasPrefix(list[0], "@") {
		if list, err = expand(list); err != nil {
			return c, err
		}
	}
	if err := five(list); err != nil {
		return c, err
	}
	for n, values := range []*set{&c.minutes, &c.hours, &c.days, &c.months, &c.weekdays} {
		if *values, err = fields[n].parse(list[n]); err != nil {
			return c, err
		}
	}
	if c.weekdays.has(7) {
		c.weekdays |= 1
	}
	c.instants = list[1] == "*" || strings.HasPrefix(list[1], "*/") && !strings.Contains(list[1], ",")
	c.either = !strings.HasPrefix(list[2], "*") && !strings.HasPrefix(list[4], "*")
	return c, c.possible()
}

// expand replaces a name by the fields it stands for.
func expand(list []string) ([]string, error) {
	name := list[0]
	switch expression, known := macros[name]; {
	case known && len(list) == 1:
		return strings.Fields(expression), nil
	case known:
		return nil, fmt.Errorf("nothing may follow %s", name)
	case name == "@every":
		return nil, errors.New("@every is not possible, only times of the day and the calendar: every five minutes is */5 * * * *")
	case name == "@reboot":
		return nil, errors.New("@reboot is not possible, only times of the day and the calendar")
	}
	return nil, fmt.Errorf("%s is none of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually", shorten(name))
}

// five says what is wrong with a number of fields.
func five(list []string) error {
	const needed = "minute, hour, day of month, month and day of week are needed"
	switch {
	case len(list) > 0 && strings.Contains(list[0], "TZ="):
		return errors.New("a time zone is not part of it, but given beside it (time_zone)")
	case len(list) > 5:
		return fmt.Errorf("%d fields; %s, without seconds and years", len(list), needed)
	case len(list) < 5:
		return fmt.Errorf("%d fields; %s", len(list), needed)
	}
	return nil
}

// possible says why no day can ever match: a month that names a day is too short for it.
func (c Cron) possible() error {
	if c.either {
		return nil
	}
	for month := time.January; month <= time.December; month++ {
		const leap = 2024
		last := time.Date(leap, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
		if first, ok := c.days.next(1); ok && c.months.has(int(month)) && first <= last {
			return nil
		}
	}
	first, _ := c.days.next(1)
	month, _ := c.months.next(1)
	return fmt.Errorf("it never comes: there is no %d %s", first, time.Month(month))
}
