package ui

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/planners"
	"oc-scheduler/streams/check"
)

// Parts is what the pages show.
type Parts struct {
	Checks    Checks
	Workflows *kv.View[store.WorkflowRecord]
	Planners  *kv.View[planners.Record]
	Nodes     *kv.View[store.NodeRecord]
	Replicas  *kv.View[store.Lease]
	Members   Members // writes, which need NATS
}

// Checks answers checks from what is known, asking nobody.
type Checks interface {
	// Once returns check.ErrUnknownWorkflow, check.ErrNotLoaded, or a fault.List.
	Once(workflowID string, r booking.Request) (check.Frame, error)
}

// Members decides which nodes take part.
type Members interface {
	// Approve returns orchestrator.ErrUnknownNode or kv.ErrUnavailable.
	Approve(ctx context.Context, nodeID string) (store.NodeRecord, error)
	// Reject returns what Approve does.
	Reject(ctx context.Context, nodeID string) (store.NodeRecord, error)
}

// Problem is an error as people are told of it.
type Problem struct {
	Status     int
	Title      string
	Detail     string
	Faults     fault.List
	RetryAfter string // seconds, for the header of that name; empty: none
}

// Site serves the pages.
type Site struct {
	// Loaded is what there is to show, or why there is nothing yet.
	Loaded func() (*Parts, error)
	// Explain makes a problem of any error that a page ran into.
	Explain func(echo.Context, error) Problem
	// Now is the clock.
	Now func() time.Time
}

// Routes registers the pages; get is for GET and HEAD.
func (s *Site) Routes(e *echo.Echo, get func(path string, h echo.HandlerFunc)) {
	get("/", func(c echo.Context) error { return c.Redirect(http.StatusFound, "/ui/") })
	get("/ui", func(c echo.Context) error { return c.Redirect(http.StatusMovedPermanently, "/ui/") })
	get("/ui/", s.page(s.workflows))
	get("/ui/workflows/:id", s.page(s.workflow))
	get("/ui/peers", s.page(s.peers))
	get("/ui/peers/:id", s.page(s.peer))
	get("/ui/nodes", s.page(s.nodes))
	get("/ui/nodes/:id", s.page(s.node))
	e.POST("/ui/nodes/:id/approve", s.page(s.approve))
	e.POST("/ui/nodes/:id/reject", s.page(s.reject))
	get("/ui/static/:name", s.page(static))
	e.Any("/ui/*", s.page(func(echo.Context, *Parts) error { return echo.ErrNotFound }))
}

// index is a peer's planner with its timelines; nil where there is none.
func (p *Parts) index(peerID string) *planner.Index {
	entry, ok := p.Planners.Get(peerID)
	if !ok || entry.Value.Planner == nil {
		return nil
	}
	return planner.NewIndex(entry.Value.Planner)
}

// ask answers a question from what is cached; it makes no demand.
func (p *Parts) ask(workflowID string, r booking.Request) (Answer, error) {
	frame, err := p.Checks.Once(workflowID, r)
	if err != nil {
		return Answer{}, err
	}
	return ReadAnswer(frame.JSON)
}
