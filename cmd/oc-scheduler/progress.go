package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// barWidth is how many places a bar has.
const barWidth = 20

// progress is how it stands, in lines for a terminal: of each part its state, and a bar of its planned time. Where
// there is room for so many parts only, those are shown at which something happens.
func (s *course) progress(now time.Time, paint painter, most int) []string {
	head := fmt.Sprintf("%s %s of %s: %s", s.kind, s.id, s.workflow, paint.state(s.state, because(s.state, s.reason)))
	if wait := s.begin.Sub(now); s.state == "scheduled" && wait > 0 {
		head += ", begins in " + roughly(wait)
	}
	lines := []string{head}
	shown, hidden := s.foremost(most)
	widest := 0
	for _, p := range shown {
		widest = max(widest, utf8.RuneCountInString(p.name))
	}
	for _, p := range shown {
		lines = append(lines, fmt.Sprintf("  %-*s  %s  %s  %s", widest, printable(p.name),
			paint.state(p.state, fmt.Sprintf("%-10s", p.state)), paint.state(p.state, bar(p.share(now))), p.timing(now)))
	}
	if hidden != "" {
		lines = append(lines, "  and "+hidden)
	}
	return lines
}

// foremost are so many of the parts, in their order: what runs or has failed before what waits, and that before what
// is done; and how many more are in which state.
func (s *course) foremost(most int) (shown []*part, hidden string) {
	if len(s.parts) <= most {
		return s.parts, ""
	}
	ranked := slices.Clone(s.parts)
	slices.SortStableFunc(ranked, func(a, b *part) int { return a.rank() - b.rank() })
	ranked = ranked[:max(most, 0)]
	rest := map[string]int{}
	for _, p := range s.parts {
		if slices.Contains(ranked, p) {
			shown = append(shown, p)
		} else {
			rest[p.state]++
		}
	}
	counts := make([]string, 0, len(rest))
	for _, state := range slices.Sorted(maps.Keys(rest)) {
		counts = append(counts, fmt.Sprintf("%d %s", rest[state], state))
	}
	return shown, strings.Join(counts, ", ")
}

// rank is lower for what people look for first.
func (p *part) rank() int {
	switch {
	case p.state == "running" || p.state == "failed":
		return 0
	case !slices.Contains(ends, p.state):
		return 1
	}
	return 2
}

// share is how much of its planned time has passed.
func (p *part) share(now time.Time) float64 {
	planned := p.end.Sub(p.begin)
	switch {
	case p.state == "completed":
		return 1
	case planned <= 0 || p.began.IsZero():
		return 0
	}
	return min(1, float64(p.took(now))/float64(planned))
}

// took is how long it ran until now, or its end.
func (p *part) took(now time.Time) time.Duration {
	if !p.ended.IsZero() {
		now = p.ended
	}
	return max(0, now.Sub(p.began))
}

// timing is how its time compares with the plan, and why it stands as it does.
func (p *part) timing(now time.Time) string {
	planned := p.end.Sub(p.begin)
	var text string
	switch {
	case !p.began.IsZero():
		text = roughly(p.took(now))
		if planned <= 0 {
			break
		}
		text += " of " + roughly(planned)
		if over := p.took(now) - planned; over >= time.Second {
			text += ", " + roughly(over) + " over"
		}
	case p.begin.After(now) && !p.open():
		text = "in " + roughly(p.begin.Sub(now)) + " for " + roughly(planned)
	}
	return strings.TrimSpace(text + "  " + printable(p.reason))
}

// open says whether it is past the point where it waits for its time.
func (p *part) open() bool { return !p.ended.IsZero() || p.state == "cancelled" || p.state == "failed" }

// bar is a part of a whole.
func bar(share float64) string {
	full := int(share*barWidth + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// roughly is a length as people want it: to the second, short ones to the tenth of one.
func roughly(d time.Duration) string {
	unit := time.Second
	if d < 10*time.Second {
		unit = time.Second / 10
	}
	return d.Round(unit).String()
}
