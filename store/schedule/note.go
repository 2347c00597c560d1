package schedule

import (
	"time"

	"oc-scheduler/store/history"
)

// stood is how a record has stood: its state, and that of each occurrence.
type stood struct {
	state State
	parts map[string]OccurrenceState
}

// Remember notes how the record stands, so that Note finds what has changed since.
func (r *Record) Remember() {
	r.was = stood{r.State, make(map[string]OccurrenceState, len(r.Occurrences))}
	for i := range r.Occurrences {
		r.was.parts[r.Occurrences[i].Name()] = r.Occurrences[i].State
	}
}

// Note adds to the log what has changed since Remember; of a record that is new, all that there is. What the schedule
// itself has come to frames what its occurrences have: first that it is there, last that it has ended.
func (r *Record) Note(by string, at time.Time) { r.NoteBecause("", by, at) }

// NoteBecause is Note of what has become of occurrences for a reason.
func (r *Record) NoteBecause(reason, by string, at time.Time) {
	own := func() {
		if r.State != r.was.state {
			r.Log = r.Log.With(at, history.Item{
				Kind: history.OfSchedule, From: string(r.was.state), To: string(r.State), Reason: r.Reason, By: by,
			})
		}
	}
	if !r.State.Final() {
		own()
	}
	for i := range r.Occurrences {
		o := &r.Occurrences[i]
		if was := r.was.parts[o.Name()]; was != o.State {
			r.Log = r.Log.With(at, history.Item{Kind: history.OfOccurrence, ItemID: o.Name(), From: string(was), To: string(o.State), Reason: reason, By: by})
		}
	}
	if r.State.Final() {
		own()
	}
	r.Remember()
}

// Name is what tells an occurrence from the others of its schedule: its nominal time.
func (o *Occurrence) Name() string { return o.Nominal.Format(time.RFC3339Nano) }

// Note adds to the log that the hold has come to a state.
func (h *HoldRecord) Note(to HoldState, reason, by string, at time.Time) {
	from := ""
	if n := len(h.Log); n > 0 {
		from = h.Log[n-1].To
	}
	h.Log = h.Log.With(at, history.Item{Kind: history.OfHold, From: from, To: string(to), Reason: reason, By: by})
}
