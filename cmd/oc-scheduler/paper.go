package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// paper is what is written on for people, and how.
type paper struct {
	io.Writer
	human bool      // somebody looks at it now: times are told from now, or in the local zone
	now   time.Time // then
	paint painter
	bare  bool // tables have no headers
	con   *console
}

// paper is one that is what standard output is: for the eye, or for a file.
func (c *console) paper(w io.Writer) *paper {
	return &paper{Writer: w, human: isTerminal(c.stdout.w), now: time.Now(), paint: c.painter(), con: c}
}

// moment is a time of which it matters how long ago it was, or how long it is until then.
type moment time.Time

// rough is a time as lists show it: when about something was, not in what order things were.
func rough(t time.Time) moment { return moment(t.Truncate(time.Second)) }

// cell writes absent values as a dash, and lets no cell break the table or the terminal: ids come from strangers.
func (p *paper) cell(cell any) string {
	switch v := cell.(type) {
	case time.Time:
		return p.time(v)
	case moment:
		return p.about(time.Time(v))
	case lasting:
		return p.lasting(v)
	}
	if s := printable(fmt.Sprint(cell)); s != "" {
		return s
	}
	return "-"
}

// time is a time in UTC, or for who looks in his own zone.
func (p *paper) time(t time.Time) string {
	switch {
	case t.IsZero():
		return "-"
	case !p.human:
		return t.UTC().Format(time.RFC3339Nano)
	case t.Nanosecond() != 0:
		return t.Local().Format("2006-01-02 15:04:05.000 MST")
	}
	return t.Local().Format("2006-01-02 15:04:05 MST")
}

// about is how far a time is from now, for who looks; what is far away has a date.
func (p *paper) about(t time.Time) string {
	if t.IsZero() || !p.human {
		return p.time(t)
	}
	switch d := p.now.Sub(t); {
	case d > -time.Second && d < time.Second:
		return "now"
	case d >= 7*day || d <= -7*day:
		return t.Local().Format("2006-01-02 15:04")
	case d < 0:
		return "in " + coarse(-d)
	default:
		return coarse(d) + " ago"
	}
}

// lasting is from when to when something was; without an end it still is.
type lasting struct{ from, to time.Time }

// lasting is how long something took. How long what goes on has taken is only for who looks: it changes.
func (p *paper) lasting(l lasting) string {
	switch {
	case l.from.IsZero(), l.to.IsZero() && !p.human:
		return "-"
	case l.to.IsZero():
		return coarse(max(0, p.now.Sub(l.from)))
	}
	return roughly(max(0, l.to.Sub(l.from)))
}

const day = 24 * time.Hour

// coarse is a length in its largest unit, a short one of them with the next.
func coarse(d time.Duration) string {
	units := []struct {
		of   time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}}
	for i, u := range units {
		n := d / u.of
		if n == 0 {
			continue
		}
		if i+1 < len(units) && n < 3 {
			if rest := (d % u.of) / units[i+1].of; rest > 0 {
				return fmt.Sprintf("%d%s%d%s", n, u.name, rest, units[i+1].name)
			}
		}
		return fmt.Sprintf("%d%s", n, u.name)
	}
	return "0s"
}

// printable replaces what would move a terminal's cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func printLines(w io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	return nil
}
