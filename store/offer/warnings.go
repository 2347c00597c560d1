package offer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"oc-scheduler/store/planner"
)

// leftOut is a node whose offer counts nowhere.
type leftOut struct{ node, why string }

// double is an instance that several nodes offer.
type double struct {
	second string
	more   int
}

// double notes that a node offers what another one has.
func (c *composer) double(ref planner.Ref, node string) {
	if d := c.twice[ref]; d != nil {
		d.more++
		return
	}
	c.twice[ref] = &double{second: node}
}

// warnings are a few lines: of the nodes that are left out, of the instances that several nodes offer, and of
// bookings that are ignored.
func (c *composer) warnings(peerID string) []string {
	lines := make([]string, 0, len(c.leftOut)+len(c.twice)+len(c.ignored))
	for _, l := range c.leftOut {
		lines = append(lines, fmt.Sprintf("%sits offer is left out: the planner would have too many %s", ofNode(l.node), l.why))
	}
	for _, ref := range slices.SortedFunc(maps.Keys(c.twice), byRef) {
		lines = append(lines, c.twice[ref].line(ref, c.nodes[ref]))
	}
	lines = append(lines, c.ignored...)
	if more := len(lines) - planner.MaxWarnings; more > 0 {
		lines = append(lines[:planner.MaxWarnings], fmt.Sprintf("%d more warnings", more))
	}
	for n := range lines {
		lines[n] = fmt.Sprintf("peer %q: %s", peerID, lines[n])
	}
	return lines
}

func (d *double) line(ref planner.Ref, first string) string {
	others := fmt.Sprintf("%q", d.second)
	if d.more > 0 {
		others += fmt.Sprintf(" and %d more", d.more)
	}
	return fmt.Sprintf("instance %q of resource %q is offered by node %q and by %s: what %q offers counts",
		ref.InstanceID, ref.ResourceID, first, others, first)
}

func byRef(a, b planner.Ref) int {
	return cmp.Or(cmp.Compare(a.ResourceID, b.ResourceID), cmp.Compare(a.InstanceID, b.InstanceID))
}

func ofNode(node string) string { return fmt.Sprintf("node %q: ", node) }
