package ui

import (
	"fmt"
	"math"
	"strings"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// Lane is what is taken of one instance over time, as it matters to who looks at it: an item of a
// workflow sees what it needs, a peer's page all there is.
type Lane struct {
	ItemID     string // empty on a peer's page
	Kind       workflow.Kind
	PeerID     string
	ResourceID string
	InstanceID string

	Chosen    bool   // the answer places the item here
	Caption   string // what is needed of what there is
	Uses      []Use  // what is taken, the longest first: each lies over the one before
	InWindow  string // how much is taken at most in the window, in words; empty: there is no window
	Need      *Need  // nil where nothing is asked of the instance
	Conflicts []Hatch
}

// Need is what the item asks for in the window, drawn from the top: where it meets the use, it is short.
type Need struct {
	Box
	H int
}

// Hatch is where something is short, and the words for it.
type Hatch struct {
	Box
	Words string
}

// needLane is an instance as an item of a workflow sees it.
func needLane(s scale, n workflow.Need, on layered, a *Answer) Lane {
	uses := on.uses(func(i *planner.Instance) use { return usedBy(n, i) })
	lane := Lane{
		ItemID: n.ItemID, Kind: n.Kind, PeerID: n.PeerID, ResourceID: n.ResourceID, InstanceID: on.all().ID(),
		Caption: captionOf(n, on.all()), Uses: drawn(s, uses), InWindow: most(uses, a.Window()),
	}
	placed := a.Of(n.ItemID)
	if placed == nil || placed.InstanceID != lane.InstanceID {
		return lane
	}
	lane.Chosen = true
	if box := s.shown(placed.within(a)); box != nil {
		lane.Need = &Need{*box, heightOf(demandOf(n, on.all()))}
	}
	lane.Conflicts = hatched(s, placed.Conflicts)
	return lane
}

// wholeLane is an instance as its peer sees it.
func wholeLane(s scale, peerID, resourceID string, on layered) Lane {
	capacities := on.all().Capacities()
	caption := make([]string, len(capacities))
	for i, q := range capacities {
		caption[i] = fmt.Sprintf("%s %v", q.Dimension, q.Amount)
	}
	uses := on.uses(func(i *planner.Instance) use {
		lines := make([]*planner.Timeline, len(capacities))
		for k, q := range capacities {
			lines[k] = i.Timeline(q.Dimension)
		}
		return scarcest(lines)
	})
	return Lane{
		PeerID: peerID, ResourceID: resourceID, InstanceID: on.all().ID(),
		Caption: strings.Join(caption, ", "), Uses: drawn(s, uses),
	}
}

// maxHatches is how many of them a lane draws one by one.
const maxHatches = 200

// hatched are the conflicts that show. Of many, those that lie within a pixel of each other are one.
func hatched(s scale, conflicts []Conflict) (all []Hatch) {
	for _, c := range conflicts {
		box := s.shown(planner.Interval{Start: c.Start.UnixNano(), End: c.End.UnixNano()})
		if box == nil {
			continue
		}
		if n := len(all); len(conflicts) > maxHatches && n > 0 && box.X <= all[n-1].X+all[n-1].W+1 {
			all[n-1].W = max(all[n-1].W, box.X+box.W-all[n-1].X)
			all[n-1].Words = "short again and again: see the list"
			continue
		}
		all = append(all, Hatch{*box, c.Words()})
	}
	return all
}

// share is how much of an instance something takes, as a part of what there is.
func share(amount, capacity planner.Amount) float64 {
	switch {
	case amount == 0:
		return 0
	case capacity == 0:
		return math.Inf(1)
	}
	return float64(amount) / float64(capacity)
}

// demandOf is what a need asks of an instance as a part of it: of the dimension that is asked for most.
func demandOf(n workflow.Need, on *planner.Instance) (part float64) {
	if n.Whole {
		return 1
	}
	for _, q := range n.Demand {
		part = max(part, share(q.Amount, on.Capacity(q.Dimension)))
	}
	return part
}

// usedBy is the use of an instance as a part of it, of the dimension that is scarcest among those that a
// need asks for.
func usedBy(n workflow.Need, on *planner.Instance) use {
	if n.Whole {
		return scarcest([]*planner.Timeline{on.Occupancy()})
	}
	lines := make([]*planner.Timeline, len(n.Demand))
	for i, q := range n.Demand {
		lines[i] = on.Timeline(q.Dimension)
	}
	return scarcest(lines)
}

// scarcest is the use of that timeline which has the least left, as a part of its capacity.
func scarcest(lines []*planner.Timeline) use {
	return func(start, end int64) (part float64) {
		for _, t := range lines {
			part = max(part, share(t.MaxUse(start, end), t.Capacity()))
		}
		return part
	}
}

// captionOf says what a need asks for, and what the instance has.
func captionOf(n workflow.Need, on *planner.Instance) string {
	if n.Whole {
		return "the whole instance"
	}
	parts := make([]string, len(n.Demand))
	for i, q := range n.Demand {
		parts[i] = fmt.Sprintf("%s %v of %v", q.Dimension, q.Amount, on.Capacity(q.Dimension))
	}
	return strings.Join(parts, ", ")
}
