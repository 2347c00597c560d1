package ui

import (
	"bytes"
	"testing"
	"time"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// TestGoldenGantt holds what is drawn of a run under way, shape by shape.
func TestGoldenGantt(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	at := func(minutes int) *time.Time {
		t := start.Add(time.Duration(minutes) * time.Minute)
		return &t
	}
	one, late := 1, 0.25
	r := run.Run{
		ID: "r-1", WorkflowID: "w", ScheduleID: "s-1", Start: start, End: *at(60), State: run.Running, StartedAt: at(0), LateS: &late,
		Steps: []run.Step{
			{
				ItemID: "fetch<1>", State: run.Completed, Start: *at(0), End: *at(10), StartedAt: at(0), EndedAt: at(14),
				Executions: []run.Execution{
					{ExecutionID: "x-1", NodeID: "n/1", Attempt: 1, State: execution.Failed, ExitCode: &one},
					{ExecutionID: "x-2", NodeID: "n/1", Attempt: 2, State: execution.Completed, ExitCode: new(int)},
				},
			},
			{ItemID: "align", State: run.Running, Start: *at(10), End: *at(40), StartedAt: at(15)},
			{ItemID: "instant", State: run.Waiting, Start: *at(40), End: *at(40)},
			{ItemID: "report", State: run.Waiting, Start: *at(40), End: *at(60)},
		},
	}
	page := runPage{Run: r, Gantt: NewGantt(&r, *at(30)), MayWrite: true}
	var got bytes.Buffer
	if err := templates["run.html"].ExecuteTemplate(&got, "gantt", page); err != nil {
		t.Fatal(err)
	}
	holdGolden(t, "testdata/gantt.html", got.Bytes())
}

// TestAStretchHoldsAllOfARun also what came before its time or went on beyond it.
func TestAStretchHoldsAllOfARun(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	began := start.Add(-time.Minute)
	r := run.Run{Start: start, End: start.Add(time.Hour), Steps: []run.Step{{Start: start, End: start, StartedAt: &began}}}
	now := start.Add(2 * time.Hour)
	g := NewGantt(&r, now)
	if !g.From.Before(began) || !g.To.After(now) || g.Now == nil || g.Rows[0].Actual == nil || g.Rows[0].Planned != nil {
		t.Errorf("%+v", g)
	}
	empty := run.Run{Start: start, End: start}
	if g := NewGantt(&empty, now); !g.From.Before(g.To) {
		t.Errorf("a run without length is shown from %v to %v", g.From, g.To)
	}
}
