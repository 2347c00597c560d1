package calendar_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/calendar"
)

func zone(tb testing.TB, name string) *time.Location {
	tb.Helper()
	z, err := calendar.Zone(name)
	if err != nil {
		tb.Fatal(err)
	}
	return z
}

func cron(tb testing.TB, text string) calendar.Cron {
	tb.Helper()
	c, err := calendar.ParseCron(text)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// TestNext: the first occurrence may lie 366 days ahead, and no more.
func TestNext(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct{ cron, zone, from, want string }{
		{"0 0 1 1 *", "UTC", "2026-12-31T23:59:59.999999999Z", "2027-01-01T00:00:00Z"},
		{"0 0 1 1 *", "UTC", "2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{"0 0 1 1 *", "UTC", "2027-01-01T00:00:00.000000001Z", "2028-01-01T00:00:00Z"},
		{"0 0 1 1 *", "UTC", "2027-01-01T01:00:00+01:00", "2027-01-01T00:00:00Z"},
		{"0 0 29 2 *", "UTC", "2026-12-01T00:00:00Z", ""},
		{"0 0 29 2 *", "UTC", "2027-02-28T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 29 2 *", "UTC", "2027-02-27T23:59:59.999999999Z", ""},
		{"30 2 29 3 *", "Europe/Paris", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"},
		{"30 2 29 3 *", "Europe/Paris", "2026-03-29T01:00:00.000000001Z", "2027-03-29T00:30:00Z"},
		{"* * * * *", "UTC", "9999-01-01T00:00:00Z", ""},
		{"* * * * *", "Europe/Paris", "9999-12-31T23:59:59Z", ""},
		{"0 0 * * *", "Europe/Paris", "2262-04-12T00:00:00Z", ""}, // after the end of all times
		{"* * * * *", "Asia/Kolkata", "2262-04-11T23:47:00Z", "2262-04-11T23:47:00Z"},
		{"* * * * *", "Asia/Kolkata", "2262-04-11T23:47:01Z", ""},
	} {
		o, err := calendar.Schedule{Cron: cron(t, c.cron), Zone: zone(t, c.zone)}.Next(at(c.from))
		if (err != nil) != (c.want == "") || err != nil && !errors.Is(err, calendar.ErrNever) || err == nil && !o.Start.Equal(at(c.want)) {
			t.Errorf("%s in %s from %s: %s, %v; want %s", c.cron, c.zone, c.from, o.Start, err, c.want)
		}
	}
	if o, err := (calendar.Schedule{Cron: cron(t, "0 12 * * *"), Zone: zone(t, "Europe/Paris")}).Next(time.Time{}); err == nil {
		t.Errorf("in the year 1 it comes at %s", o.Start)
	}
}

// TestWhatComesSeldom ends in bounded time, whether it comes or not.
func TestWhatComesSeldom(t *testing.T) {
	t.Parallel()
	n := 0
	for o := range (calendar.Schedule{Cron: cron(t, "30 2 29 2 */7"), Zone: zone(t, "Australia/Lord_Howe")}).From(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		if n++; o.Nominal.Weekday() != time.Sunday || o.Nominal.Month() != time.February || o.Nominal.Day() != 29 {
			t.Errorf("it comes at %s", o.Nominal)
		}
	}
	if n != 8 { // 2032, 2060, 2088, 2128, 2156, 2184, 2224, 2252
		t.Errorf("it comes %d times", n)
	}
}

// drawExpression draws cron text and, on its own, what it means.
func drawExpression(t *rapid.T) expression {
	field := func(label string, first, last int, every string) (text string, has func(int) bool) {
		if rapid.Bool().Draw(t, "any "+label) {
			return every, func(int) bool { return true }
		}
		values := rapid.SliceOfNDistinct(rapid.IntRange(first, last), 1, 4, rapid.ID).Draw(t, label)
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]"), func(v int) bool { return slices.Contains(values, v) }
	}
	minute, isMinute := field("minute", 0, 59, "0-59/1")
	hour, isHour := field("hour", 0, 4, rapid.SampledFrom([]string{"*", "*/1", "0-23", "0-23/1"}).Draw(t, "hours"))
	date, isDate := field("day", 1, 31, "*")
	month, isMonth := field("month", 1, 12, "*/1")
	weekday, isWeekday := field("weekday", 0, 6, "*")
	return expression{
		text:     strings.Join([]string{minute, hour, date, month, weekday}, " "),
		instants: strings.HasPrefix(hour, "*"),
		matches: func(at time.Time) bool {
			onDate, onWeekday := isDate(at.Day()), isWeekday(int(at.Weekday()))
			onDay := onDate && onWeekday
			if date != "*" && weekday != "*" {
				onDay = onDate || onWeekday
			}
			return isMinute(at.Minute()) && isHour(at.Hour()) && isMonth(int(at.Month())) && onDay
		},
	}
}

// TestAgainstTheTwin around any day, in zones of many habits, from any moment.
func TestAgainstTheTwin(t *testing.T) {
	t.Parallel()
	names := []string{
		"Europe/Paris", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Santiago", "Australia/Lord_Howe", "Africa/Cairo",
		"Africa/Casablanca", "Antarctica/Troll", "Asia/Gaza", "Asia/Kathmandu", "Pacific/Chatham", "America/Nuuk", "UTC",
	}
	rapid.Check(t, func(rt *rapid.T) {
		e, z := drawExpression(rt), zone(t, rapid.SampledFrom(names).Draw(rt, "zone"))
		c, err := calendar.ParseCron(e.text)
		if err != nil {
			rt.Skip(err)
		}
		gap, ambiguity := rapid.SampledFrom(gaps).Draw(rt, "gap"), rapid.SampledFrom(ambiguities).Draw(rt, "ambiguity")
		from := time.Date(rapid.IntRange(2008, 2040).Draw(rt, "year"), 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.Int64Range(0, int64(365*aDay)).Draw(rt, "time of the year")))
		if _, change := from.In(z).ZoneBounds(); !change.IsZero() && rapid.Bool().Draw(rt, "near a change") {
			from = change.Add(-time.Duration(rapid.Int64Range(-int64(time.Hour), int64(aDay)).Draw(rt, "before it")) / time.Second * time.Second)
		}
		to := from.Add(aDay)
		want := look(z, from, to).twin(e.matches, e.instants, gap, ambiguity, from, to)
		s, got := calendar.Schedule{Cron: c, Zone: z, Gap: gap, Ambiguity: ambiguity}, []string(nil)
		for o := range s.From(from) {
			if !o.Start.Before(to) {
				break
			}
			got = append(got, line(strings.Replace(o.Nominal.Format(time.RFC3339), "Z", "+00:00", 1), o.Start))
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%s in %s from %s, %s, %s:\n%s\nwant\n%s", e.text, z, from, gap, ambiguity, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
