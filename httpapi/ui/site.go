package ui

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
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
	Members   Members  // writes, which need NATS
	Bookings  Bookings // all but the list needs NATS
	Claims    Claims   // needs NATS
	Risks     Risks
	Runs      Runs // needs NATS
	// CancelSchedule ends a schedule on behalf of somebody, and the runs of it that wait. It fails as Bookings.Get does.
	CancelSchedule func(ctx context.Context, scheduleID, by string) error
	RunList        *kv.View[plan.ListedRun]
	HoldList       *kv.View[plan.ListedHold]
	Executions     *kv.View[execution.Execution]
	// SeesExecution says whether an execution is there for somebody.
	SeesExecution func(who *access.Subject, e execution.Execution) bool
	// HeldOnce tells of a hold that is there no more: its workflow, empty when there never was one, and what has become of it,
	// as far as that has been written down. It needs NATS.
	HeldOnce func(ctx context.Context, holdID string) (workflowID string, last history.Item, err error)
	Dead     DeadLetters
	// Shows says whether what hangs on a workflow is there for somebody.
	Shows func(who *access.Subject, workflowID string) bool
	// Age is how old what is shown of schedules and runs is; 0: it is current.
	Age func() time.Duration
	// Booked is what of ours stands with a peer now; nil is nothing.
	Booked func(peerID string) *planner.Overlay
}

// Checks answers checks from what is known, asking nobody.
type Checks interface {
	// Once returns check.ErrUnknownWorkflow, check.ErrNotLoaded, or a fault.List.
	Once(who *access.Subject, workflowID string, r booking.Request) (check.Frame, error)
}

// Members decides which nodes take part.
type Members interface {
	// Approve returns orchestrator.ErrUnknownNode or kv.ErrUnavailable.
	Approve(ctx context.Context, nodeID string) (store.NodeRecord, error)
	// Reject returns what Approve does.
	Reject(ctx context.Context, nodeID string) (store.NodeRecord, error)
}

// Site serves the pages.
type Site struct {
	// Loaded is what there is to show, or why there is nothing yet.
	Loaded func() (*Parts, error)
	// Explain makes a problem of any error that a page ran into.
	Explain func(echo.Context, error) Problem
	// Subject is who asks.
	Subject func(echo.Context) *access.Subject
	// Await asks for the planners that a request about a workflow lacks, and returns when they have come, or a time is over.
	Await func(c echo.Context, workflowID string, r booking.Request, within time.Duration) error
	// Live opens the WebSocket by which an open page follows what it shows. look is that view, of a request like c.
	Live func(c echo.Context, look func(echo.Context) (View, error)) error
	// LoggedIn says whether who asks is known by a session, which he can end.
	LoggedIn func(echo.Context) bool
	// Secret says that what the pages show is not for everybody.
	Secret bool
	// Manual is the interface for programs, as the function of that name renders it.
	Manual template.HTML
	// Now is the clock.
	Now func() time.Time
}

// Route is where a page is, and the right that it takes.
type Route struct {
	Method, Path string
	Right        access.Right
	Handle       echo.HandlerFunc
}

// Routes are all pages. Each GET is for HEAD, too.
func (s *Site) Routes() []Route {
	const get, post = http.MethodGet, http.MethodPost
	nowhere := s.page(func(echo.Context, *Parts) error { return echo.ErrNotFound })
	return []Route{
		{get, "/", access.Open, func(c echo.Context) error { return c.Redirect(http.StatusFound, "/ui/") }},
		{get, "/ui", access.Open, func(c echo.Context) error { return c.Redirect(http.StatusMovedPermanently, "/ui/") }},
		{get, "/ui/", access.Read, s.view(s.workflows)},
		{get, "/ui/workflows/:id", access.Read, s.view(s.workflow)},
		{post, "/ui/workflows/:id/schedules", access.Write, s.makes(s.book)},
		{post, "/ui/workflows/:id/holds", access.Write, s.makes(s.hold)},
		{get, "/ui/workflows/:id/runs", access.Write, s.view(s.askStart)},
		{post, "/ui/workflows/:id/runs", access.Write, s.makes(s.start)},
		{get, "/ui/workflows/:id/recurring", access.Read, s.view(s.recurring)},
		{get, "/ui/bookings", access.Read, s.view(s.bookings)},
		{get, "/ui/holds/:id", access.Read, s.view(s.showHold)},
		{post, "/ui/holds/:id/confirm", access.Write, s.once(s.confirm)},
		{post, "/ui/holds/:id/release", access.Write, s.once(s.release)},
		{post, "/ui/schedules/:id/pause", access.Write, s.once(s.pause)},
		{post, "/ui/schedules/:id/resume", access.Write, s.once(s.resume)},
		{get, "/ui/schedules/:id/cancel", access.Write, s.view(s.askCancel)},
		{get, "/ui/schedules/:id", access.Read, s.view(s.schedule)},
		{post, "/ui/schedules/:id/cancel", access.Write, s.once(s.cancel)},
		{get, "/ui/runs/:id", access.Read, s.view(s.run)},
		{get, "/ui/runs/:id/cancel", access.Write, s.view(s.askCancelRun)},
		{post, "/ui/runs/:id/cancel", access.Write, s.once(s.cancelRun)},
		{get, "/ui/peers", access.Read, s.view(s.peers)},
		{get, "/ui/peers/:id", access.Read, s.view(s.peer)},
		{get, "/ui/nodes", access.Read, s.view(s.nodes)},
		{get, "/ui/nodes/:id", access.Read, s.view(s.node)},
		{post, "/ui/nodes/:id/approve", access.Operate, s.once(s.approve)},
		{get, "/ui/nodes/:id/reject", access.Operate, s.view(s.askReject)},
		{post, "/ui/nodes/:id/reject", access.Operate, s.once(s.reject)},
		{get, "/ui/dead", access.Operate, s.view(s.dead)},
		{get, "/docs", access.Open, s.docs},
		{get, "/ui/static/:name", access.Open, static},
		{get, "/ui/*", access.Read, nowhere},
		{post, "/ui/*", access.Read, nowhere},
	}
}

// layers are a peer's planner and what of ours stands there; nil where there is no planner.
func (p *Parts) layers(peerID string) *Layers {
	entry, ok := p.Planners.Get(peerID)
	if !ok || entry.Value.Planner == nil {
		return nil
	}
	return LayersOf(planner.NewIndex(entry.Value.Planner), p.Booked(peerID))
}

// ask answers a question from what is cached; it makes no demand.
func (p *Parts) ask(who *access.Subject, workflowID string, r booking.Request) (Answer, error) {
	frame, err := p.Checks.Once(who, workflowID, r)
	if err != nil {
		return Answer{}, err
	}
	return ReadAnswer(frame.JSON)
}
