package httpapi

import (
	"oc-scheduler/httpapi/ui"
	"oc-scheduler/store/kv"
)

// tell has open pages look again when what they show changes.
func (s *Server) tell(p *Parts) {
	tells(&s.shown, p.Workflows, ui.TheWorkflows)
	tells(&s.shown, p.Planners, ui.ThePlanners)
	tells(&s.shown, p.Nodes, ui.TheNodes)
	tells(&s.shown, p.Leases, ui.TheReplicas)
	if p.Plan == nil {
		return
	}
	p.Plan.OnBookings(func(peerID string) { s.shown.told(ui.TheBookings, peerID) })
	runs, schedules := p.Plan.Runs(), p.Plan.Schedules()
	tells(&s.shown, runs, ui.TheRuns)
	tells(&s.shown, schedules, ui.TheSchedules)
	holds := p.Plan.Holds()
	tells(&s.shown, holds, ui.TheHolds)
	holds.OnChange(func(id string) { // of one that has ended the bookings tell
		if h, ok := holds.Get(id); ok {
			s.shown.changed(ui.Of(ui.TheWorkflows, h.Value.WorkflowID))
		}
	})
	runs.OnChange(func(id string) {
		if r, ok := runs.Get(id); ok {
			s.shown.changed(ui.Of(ui.TheWorkflows, r.Value.WorkflowID))
		}
	})
	ofWorkflow := func(id string) {
		if l, ok := schedules.Get(id); ok {
			s.shown.changed(ui.Of(ui.TheWorkflows, l.Value.WorkflowID))
		}
	}
	schedules.OnChange(ofWorkflow)
	p.Risks.OnChange(func(id string) {
		s.shown.told(ui.TheSchedules, id)
		ofWorkflow(id)
	})
}

// tells tells of each change in a view, if there is one.
func tells[T any](c *changes, view *kv.View[T], kind string) {
	if view != nil {
		view.OnChange(func(id string) { c.told(kind, id) })
	}
}

// told is that one of a kind has changed.
func (c *changes) told(kind, id string) {
	c.changed(kind)
	c.changed(ui.Of(kind, id))
}
