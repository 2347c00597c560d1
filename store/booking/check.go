package booking

import (
	"slices"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// Check answers one request from scratch; see Problem for many.
func Check(w *workflow.Workflow, index func(peerID string) *planner.Index, r Request, now time.Time) (*Result, error) {
	window, err := r.Resolve(w, now)
	if err != nil {
		return nil, err
	}
	return NewProblem(w, index, r.Selected).Check(window), nil
}

// Check evaluates the problem in a window. Version and ComputedAt are left for the caller to fill.
func (p *Problem) Check(w Window) *Result {
	exhausted := p.move(&w)
	r := &Result{
		Type: "result", WorkflowID: p.workflowID, Start: instant(w.Start), End: instant(w.End),
		Resources:       p.place(w),
		MissingPlanners: append([]string{}, p.missing...),
		Warnings:        append([]string{}, p.warnings...),
	}
	r.Status = p.status(r.Resources)
	r.Available = r.Status == Available
	if r.Status == Unavailable && len(p.missing) == 0 {
		r.Preemptible = w.Preemption && p.existing()
		r.Available = r.Preemptible
		if !w.AsPossible { // else the search is over, and found nothing
			r.NextSlot, exhausted = p.nextSlot(w)
		}
	}
	if exhausted {
		r.Warnings = append(r.Warnings, "the search for a window was given up: too many instances and bookings to try")
	}
	return r
}

// move replaces the window, with AsPossible, by the earliest one that fits.
func (p *Problem) move(w *Window) (exhausted bool) {
	if !w.AsPossible {
		return false
	}
	slot, exhausted := p.nextSlot(*w)
	if slot != nil {
		w.Start, w.End = slot.Start.UnixNano(), slot.End.UnixNano()
	}
	return exhausted
}

// nextSlot is the earliest window that fits, of the length of w; nil when there is none.
func (p *Problem) nextSlot(w Window) (slot *Slot, exhausted bool) {
	length := w.End - w.Start
	start, found, exhausted := p.earliest(w.From, length)
	if !found {
		return nil, exhausted
	}
	return &Slot{instant(start), instant(start + length)}, false
}

// place places all groups in the window and answers for each item, in the order of their ids.
func (p *Problem) place(w Window) []Resource {
	resources := make([]Resource, len(p.items))
	for _, g := range p.groups {
		g.place(holds(w.Start, w.End), func(it *item, on *candidate, loads []load) bool {
			resources[it.nth] = it.answer(w, on, loads)
			return true
		})
	}
	return resources
}

func (it *item) answer(w Window, on *candidate, loads []load) Resource {
	r := Resource{
		ItemID: it.need.ItemID, Kind: it.need.Kind, ResourceID: it.need.ResourceID, PeerID: it.need.PeerID,
		Status: Available, Conflicts: []Conflict{},
	}
	if it.selected != "" {
		r.InstanceID = &it.selected
	}
	switch {
	case it.state == planless:
		r.Status = Unknown
		return r
	case on == nil:
		r.Status = Unavailable
		on, r.Conflicts = it.closest(w, loads)
	}
	if on != nil {
		name := on.instance.ID()
		r.InstanceID = &name
	}
	return r
}

func (p *Problem) status(resources []Resource) Status {
	switch {
	case slices.ContainsFunc(resources, func(r Resource) bool { return r.Status == Unavailable }):
		return Unavailable
	case len(p.missing) > 0:
		return Unknown
	}
	return Available
}

// existing: every item would find a place if nothing were booked.
func (p *Problem) existing() bool {
	return !slices.ContainsFunc(p.groups, func(g *group) bool { return !g.placed((*candidate).holdsEmpty) })
}
