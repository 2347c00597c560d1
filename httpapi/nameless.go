package httpapi

import (
	"regexp"

	"oc-scheduler/store/access"
	"oc-scheduler/store/schedule"
)

// ownID is an id of a booking of ours where a document has one as text.
var ownID = regexp.MustCompile(`"` + string(schedule.OfBooking) + `[0-9a-z]{24}"`)

// nameless is a document that tells what is taken of instances, without the ids of bookings that are not there for a
// subject: to him it is taken, and that is all.
func (p *Parts) nameless(who *access.Subject, doc []byte) []byte {
	if who.Everywhere() {
		return doc
	}
	return ownID.ReplaceAllFunc(doc, func(text []byte) []byte {
		owner, _ := p.Plan.Owner(string(text[1 : len(text)-1]))
		if workflowID, _ := p.Plan.WorkflowOf(owner.ID); p.Shows(who, workflowID) {
			return text
		}
		return []byte(`""`)
	})
}
