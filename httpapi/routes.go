package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/planners"
	"oc-scheduler/store/sessions"
	"oc-scheduler/store/tokens"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/booking"
	"oc-scheduler/streams/check"
)

// Parts is what the server serves. It is given to Attach, complete, as soon as NATS has answered and
// the buckets stand; the views need not be loaded yet. Until then every route that needs a part
// answers 503, and afterwards the parts stay the same over all outages.
type Parts struct {
	Checks    *check.Service
	Workflows *kv.View[store.WorkflowRecord]
	Shows     func(who *access.Subject, workflowID string) bool // whether what hangs on a workflow is there for somebody
	Planners  *kv.View[planners.Record]
	Plan      *plan.Plan
	Editor    Editor         // writes, which need NATS
	Stored    StoredPlanners // reads past the view, which need NATS
	Nodes     *kv.View[store.NodeRecord]
	Pulses    *kv.View[store.Pulse]
	Offers    *kv.View[store.OfferRecord]
	Leases    *kv.View[store.Lease]
	Members   NodeMembers // writes, which need NATS
	Bookings  Bookings
	Risks     *booking.Risks                       // which schedules are at risk
	Booked    func(peerID string) *planner.Overlay // what of ours stands with a peer now
	Runs      Runs
	Past      Past // reads, which need NATS

	StoredWorkflows  StoredWorkflows // reads past the view, which need NATS
	StoredNodes      StoredNodes     // reads past the view, which need NATS
	Executions       *kv.View[execution.Execution]
	StoredExecutions StoredExecutions // reads past the view, which need NATS
	Orders           Orders           // writes, which need NATS
	Outputs          Outputs          // reads from nodes

	Tokens   *tokens.Tokens
	Sessions *sessions.Sessions
	Dead     DeadLetters // reads, which need NATS
}

// Editor writes workflows and sets off what follows from it.
type Editor interface {
	// PutWorkflow returns what is stored, or kv.ErrNotFound where one stands that the author does not see,
	// store.ErrPrecondition, kv.ErrTooLarge or kv.ErrUnavailable.
	PutWorkflow(ctx context.Context, w *workflow.Workflow, raw []byte, by store.Author, cond store.Condition) (revision uint64, stored []byte, created bool, err error)
	// DeleteWorkflow returns kv.ErrNotFound, store.ErrPrecondition or kv.ErrUnavailable.
	DeleteWorkflow(ctx context.Context, workflowID string, by *access.Subject, cond store.Condition) error
}

// StoredPlanners reads planners as they are stored.
type StoredPlanners interface {
	// Raw returns kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
	Raw(ctx context.Context, peerID string) (value []byte, revision uint64, err error)
}

// natsWithin bounds what a request waits for NATS.
const natsWithin = 5 * time.Second

// route is one row of the table: what is served where, and the right that it takes.
type route struct {
	method, path string
	right        access.Right
	handle       echo.HandlerFunc
}

// routes are all that is served. Rows are written without names, so that one without a right does not compile.
// What a right leaves open, groups or more, is the handler's to decide.
func (s *Server) routes(h health, metrics echo.HandlerFunc) []route {
	const get, put, post, del = http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete
	return []route{
		{get, "/oc", access.Read, workflowList.answer(s)},
		{get, "/oc/:id", access.Read, s.getWorkflow},
		{put, "/oc/:id", access.Write, s.putWorkflow},
		{del, "/oc/:id", access.Write, s.deleteWorkflow},
		{get, "/oc/:id/check", access.Read, s.getCheck},
		{post, "/oc/:id/check", access.Read, s.postCheck},
		{get, "/planners", access.Read, plannerList.answer(s)},
		{get, "/planners/:peer", access.Read, s.getPlanner},
		{get, "/nodes", access.Read, s.listNodes},
		{get, "/nodes/:id", access.Read, s.getNode},
		{del, "/nodes/:id", access.Operate, s.deleteNode},
		{post, "/nodes/:id/approve", access.Operate, s.approveNode},
		{post, "/nodes/:id/reject", access.Operate, s.rejectNode},
		{post, "/nodes/:id/executions", access.Operate, s.postExecution},
		{get, "/executions", access.Read, executionList.answer(s)},
		{get, "/executions/:id", access.Read, s.getExecution},
		{get, "/executions/:id/logs", access.Write, s.getLogs},
		{post, "/executions/:id/cancel", access.Write, s.postCancel},
		{get, "/tokens", access.Govern, tokenList.answer(s)},
		{post, "/tokens", access.Govern, s.postToken},
		{del, "/tokens/:id", access.Govern, s.deleteToken},
		{get, "/dead", access.Operate, s.listDead},
		{get, "/whoami", access.Read, getWhoami},
		{get, "/livez", access.Open, h.live},
		{get, "/readyz", access.Open, h.ready},
		{get, "/metrics", access.Operate, metrics},
		{get, "/openapi.json", access.Open, described(openAPI)},
		{get, "/asyncapi.json", access.Open, described(asyncAPI)},
	}
}

// register serves the routes, each GET for HEAD, too: net/http drops the body of the latter's answer. The error
// is a route that names no right.
func (s *Server) register(e *echo.Echo, routes []route) error {
	s.needed = map[place]access.Right{}
	for _, r := range routes {
		if r.right == 0 {
			return fmt.Errorf("%s %s names no right", r.method, r.path)
		}
		methods := []string{r.method}
		if r.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
		for _, method := range methods {
			e.Add(method, r.path, r.handle)
			s.needed[place{method, r.path}] = r.right
		}
	}
	return nil
}

// place is where something is served.
type place struct{ method, path string }

// exposition is the metrics page; gatherer may be nil.
func exposition(gatherer *prometheus.Registry) echo.HandlerFunc {
	if gatherer == nil {
		return func(echo.Context) error { return errNoRoute }
	}
	return echo.WrapHandler(Exposition(gatherer))
}

// Exposition answers with the metrics, whoever asks.
func Exposition(gatherer prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{DisableCompression: true})
}

// loaded is what is served; the error is errStarting before there is anything.
func (s *Server) loaded() (*Parts, error) {
	if parts := s.parts.Load(); parts != nil {
		return parts, nil
	}
	return nil, errStarting
}

// addressed is loaded, with the identifier in the request's path. A bad one is told of in any state.
func (s *Server) addressed(c echo.Context) (*Parts, string, error) {
	addressed, err := pathID(c)
	if err != nil {
		return nil, "", err
	}
	parts, err := s.loaded()
	return parts, addressed, err
}

// checkRead is errStarting until a view has been read for the first time.
func checkRead[T any](view *kv.View[T]) error {
	select {
	case <-view.Loaded():
		return nil
	default:
		return errStarting
	}
}
