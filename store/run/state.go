package run

import "slices"

// State is where a run, or one of its steps, stands.
type State string

// States of runs and of steps.
const (
	Scheduled State = "scheduled" // of a run: it waits for its time
	Starting  State = "starting"  // of a run: it is due, orders are going out
	Waiting   State = "waiting"   // of a step: it has not begun
	Running   State = "running"   // of a run: its first step has begun
	Completed State = "completed"
	Failed    State = "failed"
	Cancelled State = "cancelled"
	Missed    State = "missed" // of a run: it was not started
)

// Final says whether nothing follows.
func (s State) Final() bool {
	return s == Completed || s == Failed || s == Cancelled || s == Missed
}

// Kind is of what a state is.
type Kind string

// Kinds of what has states.
const (
	OfRun  Kind = "run"
	OfStep Kind = "step"
)

// moves are the states that may follow each; "" is before the first.
var moves = map[Kind]map[State][]State{
	OfRun: {
		"":        {Scheduled},
		Scheduled: {Starting, Cancelled, Missed},
		Starting:  {Running, Completed, Failed, Cancelled},
		Running:   {Completed, Failed, Cancelled},
		Completed: {}, Failed: {}, Cancelled: {}, Missed: {},
	},
	OfStep: {
		"":        {Waiting},
		Waiting:   {Running, Failed, Cancelled},
		Running:   {Completed, Failed, Cancelled},
		Completed: {}, Failed: {}, Cancelled: {},
	},
}

// Follows says whether a thing of a kind may come from one state to another.
func Follows(k Kind, from, to State) bool { return slices.Contains(moves[k][from], to) }
