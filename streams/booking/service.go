package booking

import (
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/planners"
)

// Service books. It is safe for concurrent use.
type Service struct {
	plan      *plan.Plan
	stored    *store.Workflows
	workflows *kv.View[store.WorkflowRecord]
	planners  *kv.View[planners.Record]
	hidden    func(who *access.Subject, owners []string) []string // as store.Hidden
	indexes   indexes
	turns     turns
	looking   looking
	metrics   metrics
}

// New makes a Service on this replica's views; reg may be nil.
func New(st *store.Store, reg prometheus.Registerer) *Service {
	return &Service{
		plan: st.Plan, stored: st.Workflows, workflows: st.Workflows.View(), planners: st.Planners.View(), hidden: st.Hidden,
		looking: newLooking(), metrics: newMetrics(reg, st.Plan),
	}
}

// loaded fails with ErrNotLoaded.
func (s *Service) loaded() error {
	for _, loaded := range []<-chan struct{}{s.plan.Loaded(), s.workflows.Loaded(), s.planners.Loaded()} {
		select {
		case <-loaded:
		default:
			return ErrNotLoaded
		}
	}
	return nil
}

// workflow is one as it stands. It fails with ErrUnknownWorkflow or ErrNotLoaded.
func (s *Service) workflow(workflowID string) (store.WorkflowRecord, error) {
	if err := s.loaded(); err != nil {
		return store.WorkflowRecord{}, err
	}
	e, ok := s.workflows.Get(workflowID)
	if !ok {
		return store.WorkflowRecord{}, ErrUnknownWorkflow
	}
	return e.Value, nil
}

// index is of a peer's planner; nil when it is missing.
func (s *Service) index(peerID string) *planner.Index {
	e, ok := s.planners.Get(peerID)
	if !ok {
		return nil
	}
	return s.indexes.of(peerID, e.Value.Planner)
}

// Asked is who asks, and for what.
type Asked struct {
	WorkflowID string
	By         string // as created_by tells
	// Who asks is told of nobody whose workflow he may not see; nil: of all.
	Who *access.Subject

	// Claim has it made once, whoever asks, and as often; nil: each time.
	Claim *plan.Claim
}
