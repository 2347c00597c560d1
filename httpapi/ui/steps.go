package ui

import (
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// maxSteps bounds how many steps a timeline draws; the rest is counted.
const maxSteps = 40

// stepHeight is that of a step in a timeline, in its own pixels.
const stepHeight = 10

// StepBar is when a step of a workflow is in the window that is asked for.
type StepBar struct {
	ItemID     string
	Start, End time.Time
	Box        *Box // nil: it does not show
	Y          int
}

// Steps are those of a workflow in a timeline.
type Steps struct {
	Bars   []StepBar
	Height int
	More   int // that are not drawn
}

// stepsOf lays the steps of a workflow into a window. There are none when nothing in it takes time.
func stepsOf(s scale, w *workflow.Workflow, window planner.Interval) (all Steps) {
	if _, lasts := w.Duration(); !lasts {
		return all
	}
	for _, step := range w.Steps() {
		if len(all.Bars) == maxSteps {
			all.More++
			continue
		}
		start, end := window.Start+int64(step.Start), window.Start+int64(step.End)
		all.Bars = append(all.Bars, StepBar{
			ItemID: step.ItemID, Start: time.Unix(0, start).UTC(), End: time.Unix(0, end).UTC(), Y: stepHeight * len(all.Bars),
			Box: s.shown(planner.Interval{Start: start, End: max(end, start+1)}),
		})
	}
	all.Height = stepHeight * len(all.Bars)
	return all
}
