package events

import (
	"errors"
	"fmt"
)

// Reasons for which a message is refused, as they stand in dead letters and metrics.
const (
	ReasonUndecodable     = "undecodable"
	ReasonInvalidID       = "invalid_id"
	ReasonInvalidPlanner  = "invalid_planner"
	ReasonInvalidWorkflow = "invalid_workflow"
	ReasonTooLarge        = "too_large"
	ReasonPanic           = "panic"
)

var reasons = []string{
	ReasonUndecodable, ReasonInvalidID, ReasonInvalidPlanner, ReasonInvalidWorkflow, ReasonTooLarge, ReasonPanic,
}

// Rejection is an error that says: the message is bad, not the moment. A Handler returns it to have
// the message kept as a dead letter and never delivered again.
type Rejection struct {
	Reason string // one of a few: it labels a metric
	Detail string // for people
}

// Reject makes a Rejection.
func Reject(reason, format string, args ...any) *Rejection {
	return &Rejection{reason, fmt.Sprintf(format, args...)}
}

func (r *Rejection) Error() string { return r.Reason + ": " + r.Detail }

// ErrAway says that what a Handler works with is out of reach: the moment is bad, and says nothing
// about the message. Its event comes again within about a second, however often it has failed before.
var ErrAway = errors.New("what the event is for is out of reach")

// ErrIgnored says that an event is good and of no effect: it is counted as such, and does not come again.
var ErrIgnored = errors.New("of no effect")

// errSkipped: a well-formed message that is not for us.
var errSkipped = errors.New("not for us")

// errMistaken: a planner that somebody else than the discovery publishes, which is passed over; who does so may not
// know.
var errMistaken = fmt.Errorf("a planner is taken from %s alone: %w", FromDiscovery, errSkipped)
