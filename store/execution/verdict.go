package execution

import "strings"

// Why executions end without a word of their node.
const (
	ReasonLost    = "node lost" // begins it; what is known follows
	ReasonRemoved = "node removed"
)

// Refused says whether the node never took the order: what it takes waits there before anything else.
func (e Execution) Refused() bool {
	return e.State == Failed && e.Event != (EventRef{}) && e.QueuedAt.IsZero()
}

// Lost says whether it failed because its node can't tell of it any more.
func (e Execution) Lost() bool {
	return e.State == Failed && (e.Reason == ReasonRemoved || strings.HasPrefix(e.Reason, ReasonLost+": "))
}
