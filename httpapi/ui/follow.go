package ui

import (
	"time"

	"oc-scheduler/store/booking"
)

// Follow is what an open page follows: when it is to be looked at again.
type Follow struct {
	Changes []string      // what may change; see Of
	Check   *Asked        // a check whose answer may; nil: none
	Every   time.Duration // looked at again also without a change; 0: not
	Run     string        // whose output may be followed; empty: none
}

// Asked is a question about a workflow.
type Asked struct {
	WorkflowID string
	booking.Request
}

// What changes, by the view that it is in: any of it, or with Of one. A workflow's runs and schedules are of the
// workflow.
const (
	TheWorkflows = "workflows"
	ThePlanners  = "planners"
	TheBookings  = "bookings" // by peer
	TheNodes     = "nodes"
	TheReplicas  = "replicas"
	TheRuns      = "runs"
	TheSchedules = "schedules"
	TheHolds     = "holds"
)

// Of names the change of one.
func Of(kind, id string) string { return kind + "/" + id }

// follow is looking again at changes alone.
func follow(changes ...string) *Follow { return &Follow{Changes: changes} }

const (
	// nowAndThen is for what nobody tells the changes of, such as that NATS is out of reach.
	nowAndThen = 5 * time.Second
	// fillsUp is how often what goes on is drawn anew.
	fillsUp = 2 * time.Second
)
