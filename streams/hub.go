package streams

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Hub tells those who subscribed to a planner, to a peer's bookings or to a workflow that it changed. All methods are safe for concurrent use.
type Hub struct {
	planners  registry
	bookings  registry // by peer
	workflows registry
}

// NewHub returns a Hub without subscribers; reg may be nil.
func NewHub(reg prometheus.Registerer) *Hub {
	conflated := promauto.With(reg).NewCounter(prometheus.CounterOpts{
		Name: "oc_scheduler_results_conflated_total",
		Help: "Changes that found a stream still busy with an earlier one: both are told by one result.",
	})
	return &Hub{planners: newRegistry(conflated), bookings: newRegistry(conflated), workflows: newRegistry(conflated)}
}

// SubscribePlannerUpdates returns a channel that holds a token after a planner of any of the peers was
// stored or removed, however many were since the token was taken. cancel ends the subscription and may be
// called more than once; the channel is not closed.
func (h *Hub) SubscribePlannerUpdates(peerIDs []string) (ch <-chan struct{}, cancel func()) {
	return h.planners.channel(peerIDs)
}

// SubscribeWorkflowUpdates is SubscribePlannerUpdates for one workflow.
func (h *Hub) SubscribeWorkflowUpdates(workflowID string) (ch <-chan struct{}, cancel func()) {
	return h.workflows.channel([]string{workflowID})
}

// OnPlannerUpdates is SubscribePlannerUpdates for those who would rather be called, and cost a goroutine
// less. changed must not block, and tells whether it had not yet looked at an earlier change, which is
// counted. cancel ends the subscription, but for a call under way, and may be called more than once.
func (h *Hub) OnPlannerUpdates(peerIDs []string, changed func() (conflated bool)) (cancel func()) {
	return h.planners.subscribe(peerIDs, changed)
}

// OnBookingUpdates is OnPlannerUpdates for what is booked with the peers.
func (h *Hub) OnBookingUpdates(peerIDs []string, changed func() (conflated bool)) (cancel func()) {
	return h.bookings.subscribe(peerIDs, changed)
}

// OnWorkflowUpdates is OnPlannerUpdates for one workflow.
func (h *Hub) OnWorkflowUpdates(workflowID string, changed func() (conflated bool)) (cancel func()) {
	return h.workflows.subscribe([]string{workflowID}, changed)
}

// PlannerChanged calls the subscribers of a peer's planner. It does not block.
func (h *Hub) PlannerChanged(peerID string) { h.planners.signal(peerID) }

// BookingsChanged calls the subscribers of a peer's bookings. It does not block.
func (h *Hub) BookingsChanged(peerID string) { h.bookings.signal(peerID) }

// WorkflowChanged calls the subscribers of a workflow. It does not block.
func (h *Hub) WorkflowChanged(workflowID string) { h.workflows.signal(workflowID) }

func distinct(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
