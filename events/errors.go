package events

import (
	"errors"
	"fmt"
	"strings"
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

// errSkipped: a well-formed message that is not for us.
var errSkipped = errors.New("not for us")

// ConfigError says that JetStream already holds something of our names that is not ours. Only an
// operator can mend it.
type ConfigError struct {
	What        string // e.g. stream OC_BUS
	CapturedBy  string // the other stream that captures a subject of What
	Subject     string // that subject
	Differences []Difference
}

// Difference is one field of a configuration that is not as it must be.
type Difference struct{ Field, Have, Want string }

func (e *ConfigError) Error() string {
	if e.CapturedBy != "" {
		return fmt.Sprintf("%s: subject %s is already captured by stream %s", e.What, e.Subject, e.CapturedBy)
	}
	list := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		list[i] = fmt.Sprintf("%s is %s, must be %s", d.Field, d.Have, d.Want)
	}
	return fmt.Sprintf("%s has a foreign configuration: %s", e.What, strings.Join(list, "; "))
}
