package fleettest

import (
	"fmt"
	"slices"
	"time"
)

// Said is what the scheduler said of one peer on the bus; Answers are planners that others had asked for.
type Said struct{ Requests, Closes, Answers []time.Time }

// RequestedAgain tells of requests that followed another sooner than that, and when. One before a close is void: whoever
// comes after it asks anew, however soon.
func (s Said) RequestedAgain(least time.Duration) []string {
	return again(s.Requests, s.Closes, least)
}

// ClosedAgain tells likewise of closes up to a time.
func (s Said) ClosedAgain(least time.Duration, before time.Time) []string {
	return again(slices.DeleteFunc(slices.Clone(s.Closes), func(at time.Time) bool { return !at.Before(before) }), nil, least)
}

func again(times, voids []time.Time, least time.Duration) (repeats []string) {
	times = slices.SortedFunc(slices.Values(times), time.Time.Compare)
	for i := 1; i < len(times); i++ {
		last, now := times[i-1], times[i]
		void := slices.ContainsFunc(voids, func(at time.Time) bool { return !at.Before(last) && !at.After(now) })
		if gap := now.Sub(last); gap < least && !void {
			repeats = append(repeats, fmt.Sprintf("%v apart at %s", gap.Round(time.Millisecond), now.Format(time.StampMilli)))
		}
	}
	return repeats
}
