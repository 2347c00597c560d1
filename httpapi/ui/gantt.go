package ui

import (
	"slices"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/run"
)

// Gantt is the steps of a run over time: as they were planned, and what has come of it up to now.
type Gantt struct {
	From, To time.Time
	Ticks    []Tick
	Now      *Box // nil when the stretch does not hold it
	Window   *Box // what was booked
	Rows     []GanttRow
}

// GanttRow is a step.
type GanttRow struct {
	run.Step
	Planned *Box // nil when it takes no time
	Actual  *Box // from its begin to its end, or to now; nil: it has not begun
}

// NewGantt draws a run as it stands at a time.
func NewGantt(r *run.Run, now time.Time) Gantt {
	stretch := stretchOf(r, now)
	s := stretch.scale()
	box := func(from, to time.Time) *Box {
		return s.shown(planner.Interval{Start: from.UnixNano(), End: to.UnixNano()})
	}
	g := Gantt{
		From: stretch.From, To: stretch.To, Ticks: s.ticks(), Window: box(r.Start, r.End),
		Now: box(now, now.Add(1)), Rows: make([]GanttRow, len(r.Steps)),
	}
	for i, step := range r.Steps {
		row := GanttRow{Step: step, Planned: box(step.Start, step.End)}
		if step.StartedAt != nil {
			row.Actual = box(*step.StartedAt, step.StartedAt.Add(max(endOf(&step, now).Sub(*step.StartedAt), 1)))
		}
		g.Rows[i] = row
	}
	return g
}

// endOf is when a step that has begun ended, or now.
func endOf(s *run.Step, now time.Time) time.Time {
	if s.EndedAt != nil {
		return *s.EndedAt
	}
	return now
}

// stretchOf holds all that was planned and all that has happened, and a little beside it.
func stretchOf(r *run.Run, now time.Time) Stretch {
	moments := []time.Time{r.Start, r.End}
	for i := range r.Steps {
		step := &r.Steps[i]
		moments = append(moments, step.Start, step.End)
		if step.StartedAt != nil {
			moments = append(moments, *step.StartedAt, endOf(step, now))
		}
	}
	from, to := slices.MinFunc(moments, time.Time.Compare), slices.MaxFunc(moments, time.Time.Compare)
	margin := max(to.Sub(from)/40, time.Millisecond)
	return Stretch{from.Add(-margin), to.Add(margin)}
}
