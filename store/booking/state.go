package booking

import (
	"slices"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// State is what checks of a workflow are about: the planners of its peers, and our bookings that stand with them.
type State struct {
	workflow *workflow.Workflow
	planners []*planner.Planner // of each peer; nil of none
	bookings []*planner.Overlay // of each
}

// Look takes one look at the peers of a workflow. of tells of one; the planner is nil when it is missing.
func Look(w *workflow.Workflow, of func(peerID string) (*planner.Planner, *planner.Overlay)) State {
	n := len(w.Peers())
	s := State{w, make([]*planner.Planner, n), make([]*planner.Overlay, n)}
	for n, peer := range w.Peers() {
		s.planners[n], s.bookings[n] = of(peer)
	}
	return s
}

// Planners are those that are not missing.
func (s State) Planners() []*planner.Planner {
	return slices.DeleteFunc(slices.Clone(s.planners), func(p *planner.Planner) bool { return p == nil })
}

// Problem is what is to be checked; index is that of a planner under bookings. The error is a fault.List.
func (s State) Problem(selected map[string]string, index func(*planner.Planner, *planner.Overlay) *planner.Index) (*Problem, error) {
	return NewProblem(s.workflow, func(peerID string) *planner.Index {
		n, found := slices.BinarySearch(s.workflow.Peers(), peerID)
		if !found || s.planners[n] == nil {
			return nil
		}
		return index(s.planners[n], s.bookings[n])
	}, selected)
}
