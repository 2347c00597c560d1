package plan

import (
	"strings"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// Listed is what a replica keeps of a schedule: all but its occurrences and its workflow; of occurrences that can't be
// booked it knows when.
type Listed = *schedule.Schedule

var decodeListed = kv.By(schedule.DecodeListed, func(key kv.Key, s Listed) error { return own(key, s.ID, nil) })

// ListedHold is what a replica keeps of a hold: all but what it takes.
type ListedHold struct {
	ID, WorkflowID, CreatedBy string
	Start, End, ExpiresAt     time.Time
	Open                      bool // it has not become a schedule
}

func decodeListedHold(key kv.Key, m kv.Message) (ListedHold, error) {
	h, err := DecodeHold(key, m)
	return ListedHold{strings.Clone(h.ID), strings.Clone(h.WorkflowID), strings.Clone(h.CreatedBy), h.Start, h.End, h.ExpiresAt, h.State == schedule.Held}, err
}

// Holds lists what is known of holds without reading them.
func (p *Plan) Holds() *kv.View[ListedHold] { return p.held }

// HoldsOpen is how many holds stand, as the view shows it.
func (p *Plan) HoldsOpen() (n int) {
	for _, h := range p.held.All() {
		if h.Open {
			n++
		}
	}
	return n
}

// OpenHolds are the holds of a workflow that stand, as the view shows them.
func (p *Plan) OpenHolds(workflowID string) (list []string) {
	for holdID, h := range p.held.All() {
		if h.Open && h.WorkflowID == workflowID {
			list = append(list, holdID)
		}
	}
	return list
}

// OnHold adds a function that is called with each hold that was made, confirmed or has ended, as OnChange of a view does.
func (p *Plan) OnHold(f func(holdID string)) { p.held.OnChange(f) }

// ListedRun is what a replica keeps of a run: all but its steps and what it needs to go on.
type ListedRun = *run.Run

var decodeListedRun = kv.By(run.DecodeListed, func(key kv.Key, r ListedRun) error { return own(key, r.ID, nil) })
