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
	Use       string // the path of an SVG: see area
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
func needLane(s scale, n workflow.Need, on *planner.Instance, a *Answer) Lane {
	lane := Lane{
		ItemID: n.ItemID, Kind: n.Kind, PeerID: n.PeerID, ResourceID: n.ResourceID, InstanceID: on.ID(),
		Caption: captionOf(n, on), Use: area(s, usedBy(n, on)),
	}
	placed := a.Of(n.ItemID)
	if placed == nil || placed.InstanceID != on.ID() {
		return lane
	}
	lane.Chosen = true
	if box := s.shown(placed.within(a)); box != nil {
		lane.Need = &Need{*box, heightOf(demandOf(n, on))}
	}
	for _, c := range placed.Conflicts {
		if box := s.shown(planner.Interval{Start: c.Start.UnixNano(), End: c.End.UnixNano()}); box != nil {
			lane.Conflicts = append(lane.Conflicts, Hatch{*box, c.Words()})
		}
	}
	return lane
}

// wholeLane is an instance as its peer sees it.
func wholeLane(s scale, peerID, resourceID string, on *planner.Instance) Lane {
	var (
		lines   []*planner.Timeline
		caption []string
	)
	for _, q := range on.Capacities() {
		lines = append(lines, on.Timeline(q.Dimension))
		caption = append(caption, fmt.Sprintf("%s %v", q.Dimension, q.Amount))
	}
	return Lane{
		PeerID: peerID, ResourceID: resourceID, InstanceID: on.ID(),
		Caption: strings.Join(caption, ", "), Use: area(s, scarcest(lines)),
	}
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
func usedBy(n workflow.Need, on *planner.Instance) func(start, end int64) float64 {
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
func scarcest(lines []*planner.Timeline) func(start, end int64) float64 {
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
