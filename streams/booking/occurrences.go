package booking

import (
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/calendar"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/schedule"
)

// occurrences are those that a request has to have booked now. It fails with a fault.List.
func occurrences(r schedule.Request, now time.Time, win booking.Window) (list []schedule.Occurrence, more bool, err error) {
	start := time.Unix(0, win.Start).UTC()
	if !r.Recurs {
		if !r.AsPossible && start.Add(r.CatchUp).Before(now) {
			return nil, false, fault.List{{Path: "$.start", Message: "is too long ago: no run would start any more"}}
		}
		return []schedule.Occurrence{{Nominal: start, Start: start, End: time.Unix(0, win.End).UTC(), Bookings: []schedule.Taken{}}}, false, nil
	}
	from := now
	if r.Start.After(now) {
		from = r.Start
	}
	if r.Start.Before(now) {
		r.Start = time.Time{} // what lies in the past is none of the schedule's
	}
	list, more = r.First(now, time.Duration(win.End-win.Start))
	if len(list) == 0 || list[0].Start.Sub(from) > calendar.Horizon {
		return nil, false, fault.List{{Path: "$.cron", Message: "nothing happens within 366 days"}}
	}
	return list, more, nil
}
