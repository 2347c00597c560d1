package httpapi

import (
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/ui"
	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/streams/check"
)

// pages adds what people look at.
func (s *Server) pages(e *echo.Echo) {
	site := ui.Site{Loaded: s.shownParts, Explain: s.explain, Now: time.Now}
	site.Routes(e, func(path string, h echo.HandlerFunc) {
		e.GET(path, h)
		e.HEAD(path, h)
	})
	for _, r := range e.Routes() {
		at := place{r.Method, r.Path}
		if _, named := s.needed[at]; !named {
			s.needed[at] = pageRight(r.Path)
		}
	}
}

// pageRight is what a page takes. Pages show what belongs to all groups, so they are for operators; what leads
// to them, and what they are made of, says nothing.
func pageRight(path string) access.Right {
	switch path {
	case "/", "/ui", "/ui/static/:name":
		return access.Open
	}
	return access.Operate
}

// shownParts is what the pages show of what is served.
func (s *Server) shownParts() (*ui.Parts, error) {
	p, err := s.loaded()
	if err != nil {
		return nil, err
	}
	return &ui.Parts{
		Checks: everything{p.Checks}, Workflows: p.Workflows, Planners: p.Planners, Nodes: p.Nodes, Replicas: p.Leases, Members: p.Members,
	}, nil
}

// everything is the checks of all groups.
type everything struct{ checks *check.Service }

// Once implements ui.Checks.
func (e everything) Once(workflowID string, r booking.Request) (check.Frame, error) {
	return e.checks.Once(access.Anonymous, workflowID, r)
}

// explain is what a page tells of an error.
func (s *Server) explain(c echo.Context, err error) ui.Problem {
	p := s.toldOf(err, c)
	shown := ui.Problem{Status: p.Status, Title: p.Title, Detail: p.Detail, Faults: p.Errors}
	if p.retryAfter > 0 {
		shown.RetryAfter = seconds(p.retryAfter)
	}
	return shown
}
