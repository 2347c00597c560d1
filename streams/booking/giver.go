package booking

import (
	"slices"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
)

// giver is a schedule that gives way to others.
type giver struct {
	*schedule.Record        // as it stands
	revision         uint64 // of the record
	gone             []int  // places of the occurrences that give way
}

// keeps are the bookings of what does not give way.
func (g *giver) keeps(now time.Time) []schedule.Booking {
	rest := *g.Record
	rest.Occurrences = slices.Clone(rest.Occurrences)
	for _, i := range g.gone {
		rest.Occurrences[i].State = schedule.Displaced
	}
	return rest.Bookings(now)
}

// meeting are the places of the occurrences that take something in an interval, the first ones first.
func (g *giver) meeting(w planner.Interval) (places []int) {
	start, end := time.Unix(0, w.Start), time.Unix(0, w.End)
	for i, o := range g.Occurrences {
		meets := func(t schedule.Taken) bool { return t.Start.Before(end) && t.End.After(start) }
		if o.State.Holds() && !slices.Contains(g.gone, i) && slices.ContainsFunc(o.Bookings, meets) {
			places = append(places, i)
		}
	}
	return places
}

// over says whether the giver has nothing but what gives way. A run that is under way has then still to end.
func (g *giver) over() bool {
	for i, o := range g.Occurrences {
		if o.State.Holds() && !slices.Contains(g.gone, i) {
			return false
		}
	}
	return true
}

// without is a giver of which that occurrence stays.
func (g *giver) without(place int) *giver {
	less := *g
	less.gone = slices.DeleteFunc(slices.Clone(g.gone), func(i int) bool { return i == place })
	return &less
}
