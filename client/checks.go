package client

import (
	"context"
	"net/http"
	"time"
)

// CheckRequest asks whether a workflow can run. Without a start it is now; without an end or a duration the
// workflow's own durations count.
type CheckRequest struct {
	Start             time.Time         `json:"start,omitzero"`
	End               time.Time         `json:"end,omitzero"`
	DurationS         *float64          `json:"duration_s,omitempty"`
	BookingMode       string            `json:"booking_mode,omitempty"` // planned, preempted, when_possible
	AsPossible        bool              `json:"as_possible,omitempty"`  // the earliest window from the start on
	Preemption        bool              `json:"preemption,omitempty"`   // what others would give up counts as available
	SelectedInstances map[string]string `json:"selected_instances,omitempty"`
}

// CheckResult is the answer to a check.
type CheckResult struct {
	Type            string           `json:"type"` // result
	WorkflowID      string           `json:"workflow_id"`
	Version         string           `json:"version"` // the same one is the same answer
	Status          string           `json:"status"`  // available, unavailable, unknown
	Available       bool             `json:"available"`
	Preemptible     bool             `json:"preemptible"`
	Start           time.Time        `json:"start"`
	End             time.Time        `json:"end"`
	NextSlot        *Window          `json:"next_slot"` // nil: there is none within 366 days, or no need for one
	Resources       []ResourceResult `json:"resources"`
	MissingPlanners []string         `json:"missing_planners"` // peers of which nothing is known yet
	Warnings        []string         `json:"warnings"`         // for people
	ComputedAt      time.Time        `json:"computed_at"`
}

// Window is a time span without its end.
type Window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// ResourceResult is what a check says of one item of the workflow.
type ResourceResult struct {
	ItemID     string     `json:"item_id"`
	Kind       string     `json:"kind"` // compute, storage
	ResourceID string     `json:"resource_id"`
	PeerID     string     `json:"peer_id"`
	InstanceID string     `json:"instance_id"` // empty: on none
	Start      time.Time  `json:"start"`
	End        time.Time  `json:"end"`
	Status     string     `json:"status"` // available, unavailable, unknown
	Conflicts  []Conflict `json:"conflicts"`
}

// Conflict is a time in which too little of a dimension is free.
type Conflict struct {
	Start     time.Time `json:"start"`
	End       time.Time `json:"end"`
	Dimension string    `json:"dimension"`
	Requested float64   `json:"requested"`
	Free      float64   `json:"free"`
	By        []Taker   `json:"by"`
}

// Taker is who has taken what is not free: one of the three.
type Taker struct {
	ScheduleID string `json:"schedule_id,omitempty"`
	HoldID     string `json:"hold_id,omitempty"`
	Planner    bool   `json:"planner,omitempty"` // the peer itself
}

// CheckWorkflow answers once (checkWorkflowOnce); with Wait it waits for planners that are missing.
func (c *Client) CheckWorkflow(ctx context.Context, workflowID string, question CheckRequest, options ...CallOption) (*CheckResult, error) {
	return got[CheckResult](ctx, c, request{method: http.MethodPost, path: []string{"oc", workflowID, "check"}, body: question}, options)
}
