package booking

import (
	"fmt"
	"math"
	"time"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// Horizon bounds both how far ahead a window may end and how far a search for one looks.
const Horizon = 366 * 24 * time.Hour

// Mode is how a request wants to be booked; it is a short name for flags.
type Mode string

// The booking modes of the contract.
const (
	Planned      Mode = "planned"       // at the given window
	Preempted    Mode = "preempted"     // sets Preemption
	WhenPossible Mode = "when_possible" // sets AsPossible
)

// Request is a check request as the client wrote it, its values valid one by one.
type Request struct {
	Start      time.Time     // zero: now
	End        time.Time     // zero: not given
	Duration   time.Duration // zero: not given
	AsPossible bool          // search from now instead of asking for one window
	Preemption bool          // count capacity that is taken but exists
	// Selected names the instance to use, by resource id or by "peer/resource".
	Selected map[string]string
}

// Moves reports whether the window depends on the time of the check, so that a stream has to
// evaluate again as time passes.
func (r Request) Moves() bool { return r.Start.IsZero() || r.AsPossible }

// Window is a request fixed to a point in time.
type Window struct {
	Start, End int64 // what is asked for
	From       int64 // where the search for a window begins: Start, or now with AsPossible
	AsPossible bool
	Preemption bool
}

func (w Window) interval() planner.Interval { return planner.Interval{Start: w.Start, End: w.End} }

// Covers reports, as a fault.List, a window that is shorter than the longest path through a workflow's
// processing items: a check cuts such needs, but nothing can be booked there.
func (w Window) Covers(wf *workflow.Workflow) error {
	lasts, _ := wf.Duration()
	if length := time.Duration(w.End - w.Start); length < lasts {
		return fault.List{{Path: "$.duration_s", Message: fmt.Sprintf("the window of %v is shorter than the longest path through the processing items, %v", length, lasts)}}
	}
	return nil
}

// Resolve fixes the request to the time of the check, rounded up to the second. Where the request
// gives neither end nor duration, the workflow's own processing durations give the length. The
// error is a fault.List.
func (r Request) Resolve(w *workflow.Workflow, now time.Time) (Window, error) {
	var faults fault.List
	present := ceilSecond(now)
	start := present
	if !r.Start.IsZero() {
		start = r.Start.UnixNano()
	}
	length := r.length(w, start, &faults)
	if length > 0 && (start > math.MaxInt64-length || start+length > now.Add(Horizon).UnixNano()) {
		faults.Add(fault.Root, "the window must end within %d days from now", Horizon/(24*time.Hour))
	}
	win := Window{Start: start, End: start + length, From: start, AsPossible: r.AsPossible, Preemption: r.Preemption}
	if r.AsPossible {
		win.From = present
	}
	return win, faults.Err()
}

// length is the length of the window in ns; 0 after a fault.
func (r Request) length(w *workflow.Workflow, start int64, faults *fault.List) int64 {
	switch {
	case r.Duration > 0:
		return int64(r.Duration)
	case !r.End.IsZero():
		end := r.End.UnixNano()
		if end <= start {
			faults.Add("$.end", "must be after the start, %s", instant(start).Format(time.RFC3339Nano))
			return 0
		}
		if start < 0 && end > math.MaxInt64+start {
			faults.Add("$.end", "the window is too long")
			return 0
		}
		return end - start
	}
	if d, ok := w.Duration(); ok && d > 0 {
		return int64(d)
	}
	faults.Add("$.duration_s", "it or the end is needed: the workflow's processing items give no duration")
	return 0
}

func ceilSecond(t time.Time) int64 {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		t = whole.Add(time.Second)
	}
	return t.UnixNano()
}

func instant(ns int64) time.Time { return time.Unix(0, ns).UTC() }
