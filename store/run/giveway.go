package run

import "time"

// GiveWay is a run whose bookings others have taken, and when it is due. One that has not begun is over with that; one
// that is under way is due at once: Advance then has it end.
func GiveWay(before Record, to Displace, at time.Time) (next Record, due time.Time) {
	switch before.State {
	case Scheduled:
		next, _ = Advance(before, to, Now{At: at})
		return next, time.Time{}
	case Starting, Running:
		next = before.clone()
		t := &turn{r: &next, now: plain(at), by: to.By}
		wish(t, to)
		return next, t.now
	}
	return before, at
}

// Why is the reason of what has to give way.
func (e Displace) Why() string { return wishOf(e) }
