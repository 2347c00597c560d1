package main

import (
	"slices"
	"time"

	"oc-scheduler/client"
)

// course is how a run or a schedule stands: itself, and its steps or occurrences.
type course struct {
	id, workflow  string
	kind          string // of it, and of its parts
	partKind      string
	state, reason string
	begin         time.Time // as booked; zero: its parts have times of their own
	parts         []*part
	final         bool
	again         bool // its parts may be followed by others, when they are over
	whole         bool // its own state tells whether all has completed
}

// part is a step of a run, or an occurrence of a schedule.
type part struct {
	name, state, reason string
	begin, end          time.Time // as planned
	began, ended        time.Time // zero: not yet
	run                 string    // of an occurrence
}

// change is that something has come to a state.
type change struct {
	at                  time.Time
	name, state, reason string
	part                string // empty: it is the whole
}

func (c change) text() string { return c.name + ": " + because(c.state, c.reason) }

// courseOfRun is how a run stands.
func courseOfRun(r *client.Run) *course {
	s := &course{
		id: r.ID, workflow: r.WorkflowID, kind: "run", partKind: "step", whole: true,
		state: r.State, reason: r.Reason, begin: r.Start, final: r.Final(),
	}
	for _, step := range r.Steps {
		s.parts = append(s.parts, &part{
			name: step.ItemID, state: step.State, reason: step.Reason, begin: step.Start, end: step.End,
			began: step.StartedAt, ended: step.EndedAt, run: r.ID,
		})
	}
	return s
}

// courseOfSchedule is how a schedule stands.
func courseOfSchedule(d *client.Schedule) *course {
	s := &course{
		id: d.ID, workflow: d.WorkflowID, kind: "schedule", partKind: "occurrence",
		state: d.State, reason: d.Reason, final: d.Final(), again: timingOf(d.Request).Cron != "",
	}
	for _, o := range d.Occurrences {
		s.parts = append(s.parts, &part{name: nominal(o.Nominal), state: o.State, begin: o.Start, end: o.End, run: o.RunID})
	}
	return s
}

// ends are the states of an occurrence, or of its run, that are the last.
var ends = []string{"completed", "failed", "cancelled", "missed", "displaced", "skipped"}

// over says whether nothing changes any more that somebody waits for: a schedule of one time stands until its
// window ends, though what was to run may have completed before.
func (s *course) over() bool {
	open := func(p *part) bool { return !slices.Contains(ends, p.state) }
	return s.final || !s.whole && !s.again && !slices.ContainsFunc(s.parts, open)
}

// completed says whether all has.
func (s *course) completed() bool {
	if s.whole {
		return s.state == "completed"
	}
	return !slices.ContainsFunc(s.parts, func(p *part) bool { return p.state != "completed" })
}

// part is the one of a name, a new one if there is none.
func (s *course) part(name string) *part {
	if i := slices.IndexFunc(s.parts, func(p *part) bool { return p.name == name }); i >= 0 {
		return s.parts[i]
	}
	p := &part{name: name}
	s.parts = append(s.parts, p)
	return p
}

// apply is what a transition changes.
func (s *course) apply(it client.HistoryItem) []change {
	if it.ItemID == "" {
		if s.state == it.To {
			return nil
		}
		s.state, s.reason = it.To, it.Reason
		s.final = isFinal(s.kind, it.To)
		return []change{s.own(it.At)}
	}
	p := s.part(it.ItemID)
	if p.state == it.To {
		return nil
	}
	p.state, p.reason = it.To, it.Reason
	switch {
	case slices.Contains(ends, it.To):
		p.ended = it.At
	case it.To == "running":
		p.began = it.At
	}
	return []change{s.of(p, it.At)}
}

func isFinal(kind, state string) bool {
	if kind == "run" {
		return (&client.Run{State: state}).Final()
	}
	return (&client.Schedule{State: state}).Final()
}

// until is what is otherwise in a course that came later.
func (s *course) until(later *course, at time.Time) (changes []change) {
	for _, p := range later.parts {
		if was := s.part(p.name); was.state != p.state || was.reason != p.reason {
			changes = append(changes, later.of(p, at))
		}
	}
	if s.state != later.state || s.reason != later.reason {
		changes = append(changes, later.own(at))
	}
	return changes
}

func (s *course) own(at time.Time) change { return change{at, s.id, s.state, s.reason, ""} }

func (s *course) of(p *part, at time.Time) change {
	return change{at, s.partKind + " " + p.name, p.state, p.reason, p.name}
}
