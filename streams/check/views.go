package check

import (
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/planners"
	"oc-scheduler/store/workflow"
)

// Views is this replica's copy of the shared state, as a Source.
type Views struct {
	Planners  *kv.View[planners.Record]
	Workflows *kv.View[store.WorkflowRecord]
	Plan      Plan
	// Unseen are those of some schedules and holds that are not there for somebody.
	Unseen func(who *access.Subject, owners []string) []string
}

// Plan is what stands booked with peers.
type Plan interface {
	// Loaded is closed once all of it is known.
	Loaded() <-chan struct{}
	// Overlay is what stands with a peer at this time; nil is nothing.
	Overlay(peerID string) *planner.Overlay
}

var _ Source = Views{}

// Loaded implements Source.
func (v Views) Loaded() bool {
	return isClosed(v.Planners.Loaded()) && isClosed(v.Workflows.Loaded()) && isClosed(v.Plan.Loaded())
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Workflow implements Source.
func (v Views) Workflow(workflowID string) (*workflow.Workflow, bool) {
	e, ok := v.Workflows.Get(workflowID)
	if !ok {
		return nil, false
	}
	return e.Value.Workflow, true
}

// Planner implements Source.
func (v Views) Planner(peerID string) (*planner.Planner, time.Time, bool) {
	e, ok := v.Planners.Get(peerID)
	if !ok {
		return nil, time.Time{}, false
	}
	return e.Value.Planner, e.Stored, true
}

// Bookings implements Source.
func (v Views) Bookings(peerID string) *planner.Overlay { return v.Plan.Overlay(peerID) }

// Hidden implements Source.
func (v Views) Hidden(who *access.Subject, owners []string) []string { return v.Unseen(who, owners) }
