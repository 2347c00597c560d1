package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/httpapi/ui"
	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/execution"
)

// pages are those that people look at.
func (s *Server) pages() []route {
	const get, post = http.MethodGet, http.MethodPost
	routes := []route{
		{get, loginPath, access.Open, s.getLogin},
		{post, loginPath, access.Open, s.counted(s.postLogin)},
		{post, logoutPath, access.Open, s.postLogout},
		{get, departPath, access.Open, s.counted(s.getDeparture)},
		{get, arrivePath, access.Open, s.counted(s.getArrival)},
	}
	for _, r := range s.site.Routes() {
		routes = append(routes, route{r.Method, r.Path, r.Right, r.Handle})
	}
	return routes
}

func (s *Server) newSite() *ui.Site {
	return &ui.Site{
		Loaded: s.shownParts, Explain: s.explain, Subject: subjectOf, LoggedIn: loggedIn, Secret: s.auth != nil, Now: time.Now,
		Await: s.awaitPlanners, Live: s.livePage, Manual: manual(),
	}
}

// loggedIn says whether who asks can log out.
func loggedIn(c echo.Context) bool {
	g := grantOf(c)
	return g != nil && g.Session() != ""
}

// isPage says whether people are answered with a page.
func isPage(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, homePath) && !carry.Upgrades(r)
}

// awaitPlanners asks for what a request lacks, and waits for it.
func (s *Server) awaitPlanners(c echo.Context, workflowID string, r booking.Request, within time.Duration) error {
	parts, err := s.loaded()
	if err == nil {
		_, err = s.ask(c, parts, workflowID, r, within, nil)
	}
	return err
}

// shownParts is what the pages show of what is served.
func (s *Server) shownParts() (*ui.Parts, error) {
	p, err := s.loaded()
	if err != nil {
		return nil, err
	}
	return &ui.Parts{
		Checks: p.Checks, Workflows: p.Workflows, Planners: p.Planners, Nodes: p.Nodes, Replicas: p.Leases, Members: p.Members,
		Bookings: p.Bookings, Risks: p.Risks, Booked: p.Booked, Claims: p.Plan, Runs: p.Runs, RunList: p.Plan.Runs(), HoldList: p.Plan.Holds(), HeldOnce: p.heldOnce, Executions: p.Executions,
		SeesExecution: func(who *access.Subject, e execution.Execution) bool { return seesExecution(p, who, e) },
		Dead:          p.Dead, Shows: p.Shows, Age: p.age,
		CancelSchedule: func(ctx context.Context, scheduleID, by string) error {
			return p.cancelSchedule(ctx, scheduleID, by, false)
		},
	}, nil
}

// explain is what a page tells of an error.
func (s *Server) explain(c echo.Context, err error) ui.Problem {
	p := s.toldOf(err, c)
	shown := ui.Problem{Status: p.Status, Title: p.Title, Detail: p.Detail, Faults: p.Errors}
	if p.retryAfter > 0 {
		shown.RetryAfter = seconds(p.retryAfter)
	}
	if p.Result != nil {
		if a, err := ui.ReadAnswer(p.Result); err == nil {
			shown.Answer = &a
		}
	}
	return shown
}
