package calendar_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"oc-scheduler/store/calendar"
)

var update = flag.Bool("update", false, "have the twin write the golden files anew")

// expression is cron text, what it means, and for how long around a change of the clocks it is tried.
type expression struct {
	text     string
	instants bool
	matches  func(t time.Time) bool
	around   time.Duration
}

const aDay = 24 * time.Hour

var expressions = []expression{
	{"30 2 * * *", false, func(t time.Time) bool { return t.Hour() == 2 && t.Minute() == 30 }, 3 * aDay},
	{"*/5 * * * *", true, func(t time.Time) bool { return t.Minute()%5 == 0 }, 3 * time.Hour},
	{"0 0 * * *", false, func(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 }, 3 * aDay},
	{"15 2 * * 0", false, func(t time.Time) bool { return t.Weekday() == time.Sunday && t.Hour() == 2 && t.Minute() == 15 }, 10 * aDay},
	{"0 9-17 * * 1-5", false, func(t time.Time) bool {
		return t.Minute() == 0 && t.Hour() >= 9 && t.Hour() <= 17 && t.Weekday() >= time.Monday && t.Weekday() <= time.Friday
	}, 3 * aDay},
	{"*/20 0-3 * * *", false, func(t time.Time) bool { return t.Minute()%20 == 0 && t.Hour() <= 3 }, aDay},
	{"0 */6 * * *", true, func(t time.Time) bool { return t.Minute() == 0 && t.Hour()%6 == 0 }, 2 * aDay},
}

// changes are when the clocks change, or, in Kolkata, do not.
var changes = map[string][]string{
	"Europe/Paris":        {"2026-03-29T01:00Z", "2026-10-25T01:00Z"},
	"America/New_York":    {"2026-03-08T07:00Z", "2026-11-01T06:00Z"},
	"Australia/Lord_Howe": {"2026-10-03T15:30Z", "2026-04-04T15:00Z"},
	"Africa/Cairo":        {"2026-04-23T22:00Z", "2026-10-29T21:00Z"},
	"Asia/Kolkata":        {"2026-03-29T01:00Z", "2026-10-25T01:00Z"},
	"Pacific/Apia":        {"2011-12-30T10:00Z", "2012-03-31T14:00Z", "2012-09-29T14:00Z"}, // a day is missing; autumn; spring
}

// TestChangesOfTheClocks compares the golden files, which the twin has written, with what is found.
func TestChangesOfTheClocks(t *testing.T) {
	t.Parallel()
	for name := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", strings.ReplaceAll(name, "/", "-")+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(matrix(t, name, fromTwin)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for who, got := range map[string]string{"the twin": matrix(t, name, fromTwin), "the package": matrix(t, name, fromPackage)} {
				if got != string(golden) {
					t.Errorf("%s disagrees with %s: %s", who, file, difference(got, string(golden)))
				}
			}
		})
	}
}

func difference(a, b string) string {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return fmt.Sprintf("line %d: %q, not %q", i+1, left[i], right[i])
		}
	}
	return fmt.Sprintf("%d lines, not %d", len(left), len(right))
}

// lister lists occurrences in [from, to).
type lister func(t *testing.T, zone *time.Location, walk func() *minutes, e expression, gap calendar.Gap, ambiguity calendar.Ambiguity, from, to time.Time) []string

func fromTwin(_ *testing.T, _ *time.Location, walk func() *minutes, e expression, gap calendar.Gap, ambiguity calendar.Ambiguity, from, to time.Time) []string {
	return walk().twin(e.matches, e.instants, gap, ambiguity, from, to)
}

func fromPackage(t *testing.T, zone *time.Location, _ func() *minutes, e expression, gap calendar.Gap, ambiguity calendar.Ambiguity, from, to time.Time) (lines []string) {
	t.Helper()
	for o := range (calendar.Schedule{Cron: cron(t, e.text), Zone: zone, Gap: gap, Ambiguity: ambiguity}).From(from) {
		if !o.Start.Before(to) {
			break
		}
		lines = append(lines, line(o.Nominal.Format(time.RFC3339), o.Start))
	}
	return lines
}

var (
	gaps        = []calendar.Gap{calendar.Shift, calendar.Skip}
	ambiguities = []calendar.Ambiguity{calendar.First, calendar.Last, calendar.Both}
)

// matrix is one text of what is listed for all changes of a zone, expressions and policies; policies
// with the same outcome stand together.
func matrix(t *testing.T, name string, list lister) string {
	t.Helper()
	zone := zone(t, name)
	var b strings.Builder
	for _, change := range changes[name] {
		at, err := time.Parse(clocks+"Z", change)
		if err != nil {
			t.Fatal(err)
		}
		walk := sync.OnceValue(func() *minutes { return look(zone, at.Add(-10*aDay), at.Add(10*aDay)) })
		for _, e := range expressions {
			policies := map[string][]string{}
			var outcomes []string
			for _, gap := range gaps {
				for _, ambiguity := range ambiguities {
					outcome := strings.Join(list(t, zone, walk, e, gap, ambiguity, at.Add(-e.around), at.Add(e.around)), "\n")
					if policies[outcome] == nil {
						outcomes = append(outcomes, outcome)
					}
					policies[outcome] = append(policies[outcome], fmt.Sprintf("%s/%s", gap, ambiguity))
				}
			}
			for _, outcome := range outcomes {
				fmt.Fprintf(&b, "# %s, %s: %s\n%s\n\n", change, e.text, strings.Join(policies[outcome], " "), outcome)
			}
		}
	}
	return b.String()
}

// TestNoStartTwice over a year of zones of many habits, with a schedule that meets every change.
func TestNoStartTwice(t *testing.T) {
	t.Parallel()
	c := cron(t, "*/30 0-23 * * *")
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range []string{"Europe/Paris", "Australia/Lord_Howe", "Africa/Cairo", "Africa/Casablanca", "America/Santiago", "Antarctica/Troll"} {
		for _, ambiguity := range ambiguities {
			s, seen, last := calendar.Schedule{Cron: c, Zone: zone(t, name), Ambiguity: ambiguity}, map[string]bool{}, time.Time{}
			for o := range s.From(from) {
				nominal := o.Nominal.Format(time.RFC3339)
				if seen[nominal] || !o.Start.After(last) {
					t.Fatalf("%s, %s: %s at %s, after %s", name, ambiguity, nominal, o.Start, last)
				}
				if seen[nominal], last = true, o.Start; last.Year() == 2027 {
					break
				}
			}
		}
	}
}
