package ui

import (
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// maxLanes bounds what a page draws; the rest is counted.
const maxLanes = 200

// Timeline is what is taken over a stretch of time, lane by lane.
type Timeline struct {
	From, To time.Time
	Ticks    []Tick
	Now      *Box // nil when the stretch does not hold it
	Window   *Box // what is asked for; nil when it lies outside
	Next     *Box // the next slot
	Steps    Steps
	Lanes    []Lane
	More     int      // lanes that are not drawn
	Absent   []string // peers without a planner
}

// WorkflowTimeline draws, for each item of a workflow that needs room, each instance that could give it.
// of returns nil for a peer without a planner.
func WorkflowTimeline(s Stretch, now time.Time, w *workflow.Workflow, of func(peerID string) *Layers, a *Answer) Timeline {
	t := newTimeline(s, now)
	t.Window = s.scale().shown(a.Window())
	t.Steps = stepsOf(s.scale(), w, a.Window())
	if next := a.NextSlot; next != nil {
		t.Next = s.scale().shown(planner.Interval{Start: next.Start.UnixNano(), End: next.End.UnixNano()})
	}
	for _, peer := range w.Peers() {
		if of(peer) == nil {
			t.Absent = append(t.Absent, peer)
		}
	}
	for _, need := range w.Needs() {
		layers := of(need.PeerID)
		if layers == nil {
			continue
		}
		resource := layers.All.Resource(need.ResourceID)
		if resource == nil {
			continue
		}
		for _, instance := range resource.Instances() {
			t.add(func() Lane { return needLane(s.scale(), need, layers.instance(need.ResourceID, instance.ID()), a) })
		}
	}
	return t
}

// PeerTimeline draws all instances of a peer, each by the dimension of which the least is left.
func PeerTimeline(s Stretch, now time.Time, of *Layers) Timeline {
	t, x := newTimeline(s, now), of.All
	for _, id := range x.Resources() {
		for _, instance := range x.Resource(id).Instances() {
			t.add(func() Lane { return wholeLane(s.scale(), x.Planner().PeerID(), id, of.instance(id, instance.ID())) })
		}
	}
	return t
}

func newTimeline(s Stretch, now time.Time) Timeline {
	t := Timeline{From: s.From, To: s.To, Ticks: s.scale().ticks()}
	t.Now = s.scale().shown(planner.Interval{Start: now.UnixNano(), End: now.UnixNano() + 1})
	return t
}

// add draws a lane while there is room for it.
func (t *Timeline) add(draw func() Lane) {
	if len(t.Lanes) == maxLanes {
		t.More++
		return
	}
	t.Lanes = append(t.Lanes, draw())
}
