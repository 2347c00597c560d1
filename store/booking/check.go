package booking

import (
	"slices"
	"time"

	"oc-scheduler/store/planner"
)

// Answer is Check with all that a client is told: inputs name what the problem was made of.
func (p *Problem) Answer(inputs Digest, w Window, at time.Time) (*Result, error) {
	r, err := p.Check(w)
	if err == nil {
		r.Version, r.ComputedAt = Version(inputs, w), at.UTC()
	}
	return r, err
}

// Check evaluates the problem in a window. Version and ComputedAt are left for the caller to fill.
// The error is a fault.List: there are too many items for too many instances to try.
func (p *Problem) Check(w Window) (*Result, error) {
	exhausted := p.move(&w)
	r := &Result{
		Type: "result", WorkflowID: p.workflowID, Start: instant(w.Start), End: instant(w.End),
		MissingPlanners: append([]string{}, p.missing...),
	}
	says := append(warnings{}, p.warnings...)
	if length := time.Duration(w.End - w.Start); length < p.fixed.lasts {
		says.add("the window of %v is shorter than the longest path, %v: what is needed is cut at its end", length, p.fixed.lasts)
	}
	var err error
	if r.Resources, err = p.place(w, &says); err != nil {
		return nil, err
	}
	r.Status = p.status(r.Resources)
	r.Available = r.Status == Available
	if r.Status == Unavailable && len(p.missing) == 0 {
		r.Preemptible = w.Preemption && p.yields(w.interval())
		r.Available = r.Preemptible
		if !w.AsPossible { // else the search is over, and found nothing
			r.NextSlot, exhausted = p.nextSlot(w)
		}
	}
	if exhausted {
		says.add("the search for a window was given up: too many instances and bookings to try")
	}
	r.Warnings = says
	return r, nil
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
// The error is a fault.List.
func (p *Problem) place(w Window, says *warnings) ([]Resource, error) {
	resources := make([]Resource, len(p.items))
	steps, lister := budget(maxSteps), newLister(w.interval())
	for _, g := range p.groups {
		g.place(holds(w.interval()), &steps, func(it *item, on *candidate, loads []load) bool {
			resources[it.nth] = it.answer(on, loads, lister)
			return true
		})
	}
	if steps < 0 {
		return nil, tooLarge()
	}
	if lister.cut {
		says.add("there are more conflicts than are listed")
	}
	return resources, nil
}

func (it *item) answer(on *candidate, loads []load, lister *lister) Resource {
	when := it.need.Span.Of(lister.window)
	r := Resource{
		ItemID: it.need.ItemID, Kind: it.need.Kind, ResourceID: it.need.ResourceID, PeerID: it.need.PeerID,
		Start: instant(when.Start), End: instant(when.End), Status: Available, Conflicts: []Conflict{},
	}
	if it.selected != "" {
		r.InstanceID = &it.selected
	}
	switch {
	case it.planless:
		r.Status = Unknown
		return r
	case on == nil:
		r.Status = Unavailable
		on, r.Conflicts = lister.closest(it, loads)
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

// yields: every item would find a place if all gave way that may.
func (p *Problem) yields(window planner.Interval) bool {
	steps := budget(maxSteps)
	return !slices.ContainsFunc(p.groups, func(g *group) bool { return !g.placed(holdsFirm(window), &steps) })
}
