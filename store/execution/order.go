package execution

import "time"

// Order is what a node is to execute.
type Order struct {
	ExecutionID string // an id is executed once, however often it is ordered
	BookingID   string // in whose slots; empty: in none
	WorkflowID  string
	Command     []string // program and arguments, no shell
	Env         map[string]string
	Duration    time.Duration // how long a node that only sleeps does so
	Timeout     time.Duration // when the node kills it, counted from its start; 0: the node's own limit
}
