package httpapi

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planners"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/check"
)

// Parts is what the server serves. It is given to Attach, complete, as soon as NATS has answered and
// the buckets stand; the views need not be loaded yet. Until then every route that needs a part
// answers 503, and afterwards the parts stay the same over all outages.
type Parts struct {
	Checks    *check.Service
	Workflows *kv.View[store.WorkflowRecord]
	Planners  *kv.View[planners.Record]
	Plan      *plan.Plan
	Editor    Editor         // writes, which need NATS
	Stored    StoredPlanners // reads past the view, which need NATS
	Nodes     *kv.View[store.NodeRecord]
	Pulses    *kv.View[store.Pulse]
	Offers    *kv.View[store.OfferRecord]
	Leases    *kv.View[store.Lease]
	Members   NodeMembers // writes, which need NATS

	StoredWorkflows  StoredWorkflows // reads past the view, which need NATS
	StoredNodes      StoredNodes     // reads past the view, which need NATS
	Executions       *kv.View[execution.Execution]
	StoredExecutions StoredExecutions // reads past the view, which need NATS
	Orders           Orders           // writes, which need NATS
	Outputs          Outputs          // reads from nodes
}

// Editor writes workflows and sets off what follows from it.
type Editor interface {
	// PutWorkflow returns store.ErrPrecondition, kv.ErrTooLarge or kv.ErrUnavailable.
	PutWorkflow(ctx context.Context, w *workflow.Workflow, raw []byte, cond store.Condition) (revision uint64, created bool, err error)
	// DeleteWorkflow returns kv.ErrNotFound, store.ErrPrecondition or kv.ErrUnavailable.
	DeleteWorkflow(ctx context.Context, workflowID string, cond store.Condition) error
}

// StoredPlanners reads planners as they are stored.
type StoredPlanners interface {
	// Raw returns kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
	Raw(ctx context.Context, peerID string) (value []byte, revision uint64, err error)
}

// natsWithin bounds what a request waits for NATS.
const natsWithin = 5 * time.Second

func (s *Server) routes(e *echo.Echo) {
	get(e, "/oc", workflowList.answer(s))
	get(e, "/oc/:id", s.getWorkflow)
	e.PUT("/oc/:id", s.putWorkflow)
	e.DELETE("/oc/:id", s.deleteWorkflow)
	get(e, "/oc/:id/check", s.getCheck)
	e.POST("/oc/:id/check", s.postCheck)
	get(e, "/planners", plannerList.answer(s))
	get(e, "/planners/:peer", s.getPlanner)
	get(e, "/nodes", s.listNodes)
	get(e, "/nodes/:id", s.getNode)
	e.DELETE("/nodes/:id", s.deleteNode)
	e.POST("/nodes/:id/approve", s.approveNode)
	e.POST("/nodes/:id/reject", s.rejectNode)
	e.POST("/nodes/:id/executions", s.postExecution)
	get(e, "/executions", executionList.answer(s))
	get(e, "/executions/:id", s.getExecution)
	get(e, "/executions/:id/logs", s.getLogs)
	e.POST("/executions/:id/cancel", s.postCancel)
	get(e, "/openapi.json", getOpenAPI)
}

// operatorRoutes adds the metrics page; gatherer may be nil.
func operatorRoutes(e *echo.Echo, gatherer *prometheus.Registry) {
	if gatherer == nil {
		return
	}
	get(e, "/metrics", echo.WrapHandler(promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{DisableCompression: true})))
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
