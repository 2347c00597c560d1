package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// Level says how bad a Finding is; greater is worse.
type Level int

const (
	// OK means that all is well.
	OK Level = iota
	// Unknown means that it could not be looked at.
	Unknown
	// Warn means that the fleet works, but something needs an eye on it.
	Warn
	// Fail means that something does not work, or will not last.
	Fail
)

// String is the level as tables show it.
func (l Level) String() string { return [...]string{"OK", "UNKNOWN", "WARN", "FAIL"}[l] }

// MarshalText writes the level in lower case.
func (l Level) MarshalText() ([]byte, error) { return []byte(strings.ToLower(l.String())), nil }

// Finding is one thing that was looked at.
type Finding struct {
	Level Level  `json:"level"`
	Check string `json:"check"`          // the group it belongs to
	What  string `json:"what"`           // how it stands
	Mend  string `json:"mend,omitempty"` // how to mend it; "" when all is well

	// Follows is what else is not well, or could not be looked at, because of this: it ends with it.
	Follows []string `json:"follows,omitempty"`
}

// Worst is the greatest level among findings; OK when there are none.
func Worst(findings []Finding) Level {
	worst := OK
	for _, f := range findings {
		worst = max(worst, f.Level)
	}
	return worst
}

// report collects findings of one check after another.
type report struct {
	check    string
	findings []Finding
}

func (r *report) add(level Level, what, mend string) {
	r.findings = append(r.findings, Finding{Level: level, Check: r.check, What: what, Mend: mend})
}

// cause is a finding from which others follow; 0: there is none.
type cause int

// last is the last finding as a cause.
func (r *report) last() cause { return cause(len(r.findings)) }

// follows tells something beneath its cause, once. It is false when there is none.
func (r *report) follows(from cause, what string) bool {
	if from == 0 {
		return false
	}
	f := &r.findings[from-1]
	if !slices.Contains(f.Follows, what) {
		f.Follows = append(f.Follows, what)
	}
	return true
}

func (r *report) ok(format string, args ...any) { r.add(OK, fmt.Sprintf(format, args...), "") }
func (r *report) unknown(what, mend string)     { r.add(Unknown, what, mend) }
func (r *report) warn(what, mend string)        { r.add(Warn, what, mend) }
func (r *report) fail(what, mend string)        { r.add(Fail, what, mend) }

// once tells something that concerns many as one finding: of the first of them, with the others beneath.
func (e *exam) once(about string, level Level, what, mend string) {
	if e.follows(e.told[about], what) {
		return
	}
	e.add(level, what, mend)
	e.told[about] = e.last()
}

// most is how many of many names a finding spells out.
const most = 5

// some lists names, sorted, and counts those for which there is no room.
func some(names []string) string {
	names = slices.Sorted(slices.Values(names))
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// counted is "1 planner" or "3 planners".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
