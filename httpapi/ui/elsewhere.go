package ui

import (
	"fmt"
	"slices"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// Elsewhere is why an item is on none of the other instances that were looked at for it.
type Elsewhere struct {
	ItemID   string
	Refusals []Refusal
}

// Refusal is why some instances do not do, all for the same.
type Refusal struct {
	InstanceIDs []string
	Short       []Shortage // empty: each would hold the item alone
}

// First are the instances that are told at once.
func (r *Refusal) First() []string { return r.InstanceIDs[:min(len(r.InstanceIDs), shownPlaces)] }

// Rest are the others.
func (r *Refusal) Rest() []string { return r.InstanceIDs[len(r.First()):] }

// Shortage is what an instance has too little of for an item, and from when to when; zero: ever.
type Shortage struct {
	Words    string
	From, To time.Time
}

// elsewhere tells, of each item of a workflow, of those instances that were looked at in vain: all when it has no place,
// those before its own when it has one.
func elsewhere(w *workflow.Workflow, of func(peerID string) *Layers, q Question, a *Answer) (all []Elsewhere) {
	for _, n := range w.Needs() {
		placed, layers := a.Of(n.ItemID), of(n.PeerID)
		if placed == nil || layers == nil || layers.All.Resource(n.ResourceID) == nil || q.selects(n) {
			continue
		}
		e, looked := Elsewhere{ItemID: n.ItemID}, 0
		for _, instance := range layers.All.Resource(n.ResourceID).Instances() {
			if instance.ID() == placed.InstanceID && placed.Status == booking.Available {
				break
			}
			if looked++; instance.ID() != placed.InstanceID && looked <= maxLanes {
				e.refused(instance.ID(), shortages(n, instance, placed.within(a)))
			}
		}
		if len(e.Refusals) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// refused adds an instance to those that do not do for the same.
func (e *Elsewhere) refused(instanceID string, short []Shortage) {
	i := slices.IndexFunc(e.Refusals, func(r Refusal) bool { return slices.Equal(r.Short, short) })
	if i < 0 {
		i = len(e.Refusals)
		e.Refusals = append(e.Refusals, Refusal{Short: short})
	}
	e.Refusals[i].InstanceIDs = append(e.Refusals[i].InstanceIDs, instanceID)
}

// selects says whether the question names the instance that a need goes on.
func (q Question) selects(n workflow.Need) bool {
	return q.Selected[n.ResourceID] != "" || q.Selected[n.PeerID+"/"+n.ResourceID] != ""
}

// shortages is what an instance has too little of for a need while that lasts.
func shortages(n workflow.Need, on *planner.Instance, during planner.Interval) (list []Shortage) {
	if n.Whole {
		if from, to, short := over(on.Occupancy(), 0, during); short {
			list = append(list, Shortage{"something else is on it", from, to})
		}
		return list
	}
	for _, q := range n.Demand {
		line := on.Timeline(q.Dimension)
		if q.Amount > line.Capacity() {
			list = append(list, Shortage{Words: fmt.Sprintf("%s: %v asked for, it has %v", visible(q.Dimension), q.Amount, line.Capacity())})
			continue
		}
		if from, to, short := over(line, line.Capacity()-q.Amount, during); short {
			free := max(line.Capacity()-line.MaxUse(during.Start, during.End), 0)
			list = append(list, Shortage{fmt.Sprintf("%s: %v asked for, %v free at the least", visible(q.Dimension), q.Amount, free), from, to})
		}
	}
	return list
}

// over is from when to when more than an amount is in use, with breaks maybe.
func over(line *planner.Timeline, amount planner.Amount, during planner.Interval) (from, to time.Time, is bool) {
	if line.MaxUse(during.Start, during.End) <= amount {
		return from, to, false
	}
	for interval, use := range line.Steps(during.Start, during.End) {
		if use <= amount {
			continue
		}
		if !is {
			from, is = time.Unix(0, interval.Start).UTC(), true
		}
		to = time.Unix(0, interval.End).UTC()
	}
	return from, to, is
}
