package booking

import (
	"time"

	"oc-scheduler/store/workflow"
)

// Status is the answer to a check, of one item or of all.
type Status string

// The answers. Unknown: a planner is missing and nothing known forbids the window.
const (
	Available   Status = "available"
	Unavailable Status = "unavailable"
	Unknown     Status = "unknown"
)

// Result answers a check, in the shape that clients see. Its lists are never nil.
type Result struct {
	Type            string     `json:"type"` // always "result"
	WorkflowID      string     `json:"workflow_id"`
	Version         string     `json:"version"`
	Status          Status     `json:"status"`
	Available       bool       `json:"available"`
	Preemptible     bool       `json:"preemptible"`
	Start           time.Time  `json:"start"`
	End             time.Time  `json:"end"`
	NextSlot        *Slot      `json:"next_slot"`
	Resources       []Resource `json:"resources"`
	MissingPlanners []string   `json:"missing_planners"`
	Warnings        []string   `json:"warnings"`
	ComputedAt      time.Time  `json:"computed_at"`
}

// Slot is a window that is free.
type Slot struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Resource is the answer for one compute or storage item.
type Resource struct {
	ItemID     string        `json:"item_id"`
	Kind       workflow.Kind `json:"kind"`
	ResourceID string        `json:"resource_id"`
	PeerID     string        `json:"peer_id"`
	InstanceID *string       `json:"instance_id"` // where it is placed, or whose conflicts are listed
	Start      time.Time     `json:"start"`       // when it is needed
	End        time.Time     `json:"end"`
	Status     Status        `json:"status"`
	Conflicts  []Conflict    `json:"conflicts"`
}
