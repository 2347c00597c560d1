package check

import (
	"strings"

	"oc-scheduler/store/booking"
)

// question is what has one answer.
type question struct {
	inputs booking.Digest
	window booking.Window
	hidden string // schedules and holds of which who asks is not to know, one a line
}

// hides lists what is hidden.
func (q question) hides() []string {
	if q.hidden == "" {
		return nil
	}
	return strings.Split(q.hidden, "\n")
}

// version names what a question has as its answer.
func (q question) version() string {
	return booking.VersionWithout(booking.Version(q.inputs, q.window), q.hides())
}
