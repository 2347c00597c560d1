package check

import (
	"encoding/base64"
	"strings"

	"oc-scheduler/store/access"
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

// hidden are those of some schedules and holds that are of groups in which a subject is not.
func (e *evaluator) hidden(who *access.Subject, owners []string) string {
	if who.Everywhere() {
		return ""
	}
	var list []string
	for _, owner := range owners {
		workflowID, _ := e.source.Owner(owner)
		if w, known := e.source.Workflow(workflowID); !known || !who.Sees(w.Groups()) {
			list = append(list, owner)
		}
	}
	return strings.Join(list, "\n")
}
