package execution

import "time"

// Order is what a node is to execute.
type Order struct {
	ExecutionID string // an id is executed once, however often it is ordered
	BookingID   string // in whose slots; empty: in none
	WorkflowID  string
	Of          Of
	Command     []string // program and arguments, no shell
	Env         map[string]string
	Duration    time.Duration // how long a node that only sleeps does so
	Timeout     time.Duration // when the node kills it, counted from its start; 0: the node's own limit
}

// Of is what an execution is part of; zero: of no run.
type Of struct {
	RunID   string `json:"run_id,omitempty"`
	ItemID  string `json:"item_id,omitempty"` // the step
	Attempt int    `json:"attempt,omitempty"` // from 1
}
