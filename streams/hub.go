package streams

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Hub wakes those who subscribed to a planner or a workflow. All methods are safe for concurrent use.
type Hub struct {
	planners  registry
	workflows registry
}

// NewHub returns a Hub without subscribers; reg may be nil.
func NewHub(reg prometheus.Registerer) *Hub {
	conflated := promauto.With(reg).NewCounter(prometheus.CounterOpts{
		Name: "oc_scheduler_results_conflated_total",
		Help: "Changes that found a stream still busy with an earlier one: both are told by one result.",
	})
	return &Hub{planners: newRegistry(conflated), workflows: newRegistry(conflated)}
}

// SubscribePlannerUpdates returns a channel of capacity 1 that is signalled after a planner of any
// of the peers was stored or removed. A signal that finds one waiting is dropped. cancel ends the
// subscription and may be called more than once; the channel is never closed.
func (h *Hub) SubscribePlannerUpdates(peerIDs []string) (updates <-chan struct{}, cancel func()) {
	return h.planners.subscribe(peerIDs)
}

// SubscribeWorkflowUpdates is SubscribePlannerUpdates for one workflow.
func (h *Hub) SubscribeWorkflowUpdates(workflowID string) (updates <-chan struct{}, cancel func()) {
	return h.workflows.subscribe([]string{workflowID})
}

// PlannerChanged signals the subscribers of a peer's planner. It never blocks.
func (h *Hub) PlannerChanged(peerID string) { h.planners.signal(peerID) }

// WorkflowChanged signals the subscribers of a workflow. It never blocks.
func (h *Hub) WorkflowChanged(workflowID string) { h.workflows.signal(workflowID) }

func distinct(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
