// Package history knows what is told of what became of things: their transitions, in order.
package history

import (
	"slices"
	"time"
)

// Item is a transition of a thing, or of a part of it.
type Item struct {
	Seq    int       `json:"seq"` // of the thing: from 1, without gaps
	At     time.Time `json:"at"`
	Kind   Kind      `json:"kind"`
	ItemID string    `json:"item_id,omitempty"` // the part; of the thing itself: none
	From   string    `json:"from"`              // empty: it was not there
	To     string    `json:"to"`
	Reason string    `json:"reason"`
	By     string    `json:"by"` // the subject that acted
}

// Kind is of what an item tells.
type Kind string

// Kinds of things, and of their parts.
const (
	OfRun        Kind = "run"
	OfStep       Kind = "step" // of a run, by its item of the workflow
	OfSchedule   Kind = "schedule"
	OfOccurrence Kind = "occurrence" // of a schedule, by its nominal time
	OfHold       Kind = "hold"
)

// BySelf is who acts when only time has passed.
const BySelf = "scheduler"

// Log is the items of one thing, the oldest first. What was passed on may be cut off, but for the last one, which
// says how far the thing has come.
type Log []Item

// Last is the number of the last item; 0: there is none.
func (l Log) Last() int {
	if len(l) == 0 {
		return 0
	}
	return l[len(l)-1].Seq
}

// After is what follows an item. What was cut off is not among it.
func (l Log) After(seq int) Log {
	if len(l) == 0 {
		return nil
	}
	return l[min(max(seq+1-l[0].Seq, 0), len(l)):]
}

// With is the log and one item more, of a time that is not before that of the last one: clocks differ.
func (l Log) With(at time.Time, it Item) Log {
	it.Seq, it.At = l.Last()+1, at.UTC().Round(0)
	if n := len(l); n > 0 && it.At.Before(l[n-1].At) {
		it.At = l[n-1].At
	}
	return append(slices.Clip(l), it)
}
