package schedule

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Holds says whether what an occurrence in this state has booked is still taken: it is booked, or its run is
// under way.
func (s OccurrenceState) Holds() bool {
	switch s {
	case Pending, Conflict, Skipped, Displaced, CancelledOccurrence, Missed, "completed", "failed":
		return false
	}
	return true
}

// Bookings is what the schedule takes from a time on, by instance.
func (r *Record) Bookings(from time.Time) []Booking {
	var taken []Taken
	for _, o := range r.Occurrences {
		if o.State.Holds() {
			taken = append(taken, o.Bookings...)
		}
	}
	return bookings(taken, from, Booking{ScheduleID: r.ID, WorkflowID: r.WorkflowID, Preemptible: r.Preemptible})
}

// Takes is what the hold takes, by instance; nothing once it was confirmed.
func (h *Hold) Takes() []Booking {
	if h.State != Held {
		return nil
	}
	return bookings(h.Bookings, time.Time{}, Booking{HoldID: h.ID, WorkflowID: h.WorkflowID, ExpiresAt: h.ExpiresAt})
}

// bookings gathers what is taken of each instance, after a time; like says what they have in common.
func bookings(taken []Taken, from time.Time, like Booking) []Booking {
	byPlace := map[Place]*Booking{}
	for _, t := range taken {
		if !t.End.After(from) {
			continue
		}
		b := byPlace[t.Place]
		if b == nil {
			own := like
			b = &own
			b.ID, b.Place = t.ID, t.Place
			byPlace[t.Place] = b
		}
		b.Intervals = append(b.Intervals, Interval{t.Start, t.End, t.ItemID, t.Usage})
	}
	list := make([]Booking, 0, len(byPlace))
	for _, b := range byPlace {
		list = append(list, *b)
	}
	slices.SortFunc(list, func(a, b Booking) int {
		return cmp.Or(strings.Compare(a.PeerID, b.PeerID), strings.Compare(a.ResourceID, b.ResourceID), strings.Compare(a.InstanceID, b.InstanceID))
	})
	return list
}

// Places are all instances of which the schedule remembers to have taken something.
func (r *Record) Places() []Place {
	seen := map[Place]bool{}
	var list []Place
	for _, o := range r.Occurrences {
		for _, t := range o.Bookings {
			if !seen[t.Place] {
				seen[t.Place], list = true, append(list, t.Place)
			}
		}
	}
	return list
}
