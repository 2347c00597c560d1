package httpapi

import (
	"errors"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/ui"
)

// pages are those that people look at.
func (s *Server) pages() (routes []route) {
	site := ui.Site{
		Loaded: s.shownParts, Explain: s.explain, Subject: subjectOf, Now: time.Now,
		RunNews: s.runNews, ScheduleNews: s.scheduleNews,
	}
	for _, r := range site.Routes() {
		routes = append(routes, route{r.Method, r.Path, r.Right, r.Handle})
	}
	return routes
}

// shownParts is what the pages show of what is served.
func (s *Server) shownParts() (*ui.Parts, error) {
	p, err := s.loaded()
	if err != nil {
		return nil, err
	}
	return &ui.Parts{
		Checks: p.Checks, Workflows: p.Workflows, Planners: p.Planners, Nodes: p.Nodes, Replicas: p.Leases, Members: p.Members,
		Bookings: p.Bookings, Booked: p.Booked, Runs: p.Runs, RunList: p.Plan.Runs(),
	}, nil
}

// explain is what a page tells of an error.
func (s *Server) explain(c echo.Context, err error) ui.Problem {
	if errors.Is(err, ui.ErrNoRun) {
		err = errNoRun
	}
	p := s.toldOf(err, c)
	shown := ui.Problem{Status: p.Status, Title: p.Title, Detail: p.Detail, Faults: p.Errors}
	if p.retryAfter > 0 {
		shown.RetryAfter = seconds(p.retryAfter)
	}
	return shown
}
