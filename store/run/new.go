package run

import (
	"slices"
	"time"

	"oc-scheduler/store/workflow"
)

// Booked is an occurrence that was booked, of which a run is made.
type Booked struct {
	RunID      string
	ScheduleID string
	Nominal    string
	Start, End time.Time
	CatchUp    time.Duration // how late it may start
	Labels     map[string]string
	Rooms      []Room // by item, each once
}

// New is the record of a run that waits for its time, and when that is.
func New(w *workflow.Workflow, b Booked, by string, now time.Time) (Record, Outcome) {
	r := Record{
		Run: Run{
			ID: b.RunID, WorkflowID: w.ID(), ScheduleID: b.ScheduleID, Nominal: b.Nominal,
			Start: plain(b.Start), End: plain(b.End), CreatedAt: plain(now), Labels: b.Labels, Steps: []Step{},
		},
		Work: Work{CatchUpS: b.CatchUp.Seconds(), Rooms: slices.Clone(b.Rooms)},
	}
	if r.Labels == nil {
		r.Labels = map[string]string{}
	}
	longest, _ := w.Duration()
	r.Work.Idle = longest == 0
	for _, s := range w.Steps() {
		r.Work.Idle = r.Work.Idle && len(s.Command) == 0
		r.Work.Tasks = append(r.Work.Tasks, Task{
			After: s.After, On: s.On, Uses: s.Uses, Command: s.Command, Env: s.Env, Retries: s.Retries,
		})
		r.Steps = append(r.Steps, Step{
			ItemID: s.ItemID, Start: within(r, s.Start), End: within(r, s.End), Executions: []Execution{},
		})
	}
	for i := range r.Work.Rooms {
		room := &r.Work.Rooms[i]
		room.Start, room.End = plain(room.Start), plain(room.End)
		room.Kept = !slices.ContainsFunc(w.Steps(), func(s workflow.Step) bool {
			return slices.Contains(s.Uses, room.ItemID) && (len(s.Command) > 0 || s.End > s.Start)
		})
	}
	t := &turn{r: &r, now: r.CreatedAt, by: by}
	t.moveRun(Scheduled, "")
	for i := range r.Steps {
		t.moveStep(i, Waiting, "")
	}
	return r, t.outcome(true)
}

// within is a time of the run's window, counted from its start.
func within(r Record, after time.Duration) time.Time {
	at := r.Start.Add(after)
	if at.After(r.End) {
		return r.End
	}
	return at
}

// plain is a time as it reads back from JSON.
func plain(t time.Time) time.Time { return t.UTC().Round(0) }
