package check

import (
	"encoding/base64"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/digest"
)

// question is what has one answer.
type question struct {
	inputs booking.Digest
	window booking.Window
	hidden string // schedules and holds of which who asks is not to know, one a line
}

// version names what a question has as its answer.
func (q question) version() string {
	version := booking.Version(q.inputs, q.window)
	if q.hidden == "" {
		return version
	}
	sum := digest.Of([]byte(version + "\n" + q.hidden))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
