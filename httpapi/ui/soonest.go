package ui

import (
	"time"

	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
)

// mostSoonest is how many windows that fit are shown instead of one that does not.
const mostSoonest = 3

// soonest are the next windows that would fit, none of which overlaps another: an answer names the first one only, so it is
// asked again from the end of each.
func (p *Parts) soonest(who *access.Subject, workflowID string, q Question, a *Answer) (slots []booking.Slot) {
	if a.NextSlot == nil || a.Status == booking.Available {
		return nil
	}
	r := q.Request
	r.End, r.Duration = time.Time{}, a.End.Sub(a.Start)
	slots = append(slots, *a.NextSlot)
	for len(slots) < mostSoonest {
		r.Start = slots[len(slots)-1].End
		next, err := p.ask(who, workflowID, r)
		switch {
		case err != nil: // beyond what can be asked
			return slots
		case next.Status == booking.Available:
			slots = append(slots, booking.Slot{Start: next.Start, End: next.End})
		case next.NextSlot != nil:
			slots = append(slots, *next.NextSlot)
		default:
			return slots
		}
	}
	return slots
}
