package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/histories"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
)

// Runs tells of runs, and has things happen to them. All but the list needs NATS.
type Runs interface {
	// Get returns kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable; so does Happen.
	Get(ctx context.Context, runID string) (run.Record, error)
	Happen(ctx context.Context, runID string, what run.Event) error
	// Start makes the run of a schedule of one occurrence, unless there is one. It fails as Get does.
	Start(ctx context.Context, scheduleID string) (run.Record, error)
}

// ErrNoRun says that there is no such run, or none that is there for who asks.
var ErrNoRun = errors.New("no such run")

// runPage is a run on its way.
type runPage struct {
	run.Run
	Gantt    Gantt
	History  history.Log                   // newest first
	Earlier  int                           // transitions that are not shown
	MayWrite bool                          // cancel it, and read what it says
	known    *kv.View[execution.Execution] // nil: none is
}

// When is an execution with its times, as far as it is known here.
func (v runPage) When(executionID string) execution.Execution {
	if v.known == nil {
		return execution.Execution{}
	}
	entry, _ := v.known.Get(executionID)
	return entry.Value
}

// Late is how long after its time the run began; empty: that is not known.
func (v runPage) Late() string {
	if v.LateS == nil {
		return ""
	}
	return fmt.Sprintf("%.3f s", *v.LateS)
}

// mostHistory is how many transitions a page shows.
const mostHistory = 200

// run shows a run: its steps beside their plan, and what has become of it.
func (s *Site) run(c echo.Context, p *Parts) (View, error) {
	r, err := s.runOf(c, p)
	if err != nil {
		return View{}, err
	}
	v := runPage{Run: r.Run, Gantt: NewGantt(&r.Run, s.Now()), MayWrite: s.mayWrite(c), known: p.Executions}
	v.Earlier = max(len(r.Work.Log)-mostHistory, 0)
	v.History = slices.Clone(histories.Discreet(s.Subject(c), r.History()[v.Earlier:]))
	slices.Reverse(v.History)
	follow := &Follow{Changes: []string{Of(TheRuns, r.ID)}, Run: r.ID}
	if !r.State.Final() {
		follow.Every = fillsUp
	}
	return View{Template: "run.html", Age: p.Age(), Title: "Run " + visible(r.ID), Follow: follow, Body: v}, nil
}

// askCancelRun asks whether a run shall really end.
func (s *Site) askCancelRun(c echo.Context, p *Parts) (View, error) {
	r, err := s.runOf(c, p)
	if err != nil {
		return View{}, err
	}
	return View{Template: "sure.html", Title: "Cancel run " + visible(r.ID), Body: sure{
		Title: "Cancel this run?", Of: r.ID, Back: address("runs", r.ID), Action: address("runs", r.ID) + "/cancel", Button: "Cancel the run",
		Words: "What it executes on nodes is ended, and what is booked for it is given back. This can't be undone.",
	}}, nil
}

// cancelRun has a run end, and shows it again.
func (s *Site) cancelRun(c echo.Context, p *Parts, _ form) (string, error) {
	r, err := s.runOf(c, p)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	return address("runs", r.ID), p.Runs.Happen(ctx, r.ID, run.Cancel{By: s.Subject(c).ID, Reason: "on the page"})
}

// runOf is the run in the address, if its workflow is there for who asks. It fails with ErrNoRun.
func (s *Site) runOf(c echo.Context, p *Parts) (run.Record, error) {
	runID, err := pathID(c)
	if err != nil {
		return run.Record{}, err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	r, err := p.Runs.Get(ctx, runID)
	if errors.Is(err, kv.ErrNotFound) || errors.Is(err, kv.ErrUndecodable) {
		return r, ErrNoRun
	}
	if err != nil {
		return r, err
	}
	if !p.Shows(s.Subject(c), r.WorkflowID) {
		return r, ErrNoRun
	}
	return r, nil
}
