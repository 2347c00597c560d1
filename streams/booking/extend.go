package booking

import (
	"context"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/schedule"
)

// pass passes over what can't start any more, or fell due while the schedule was paused.
func pass(r *schedule.Record, asked schedule.Request, before schedule.State, now time.Time) {
	for i := range r.Occurrences {
		o := &r.Occurrences[i]
		if o.RunID != nil || !o.State.Holds() && o.State != schedule.Pending {
			continue
		}
		switch {
		case before == schedule.Paused && !o.Start.After(now):
			o.State = schedule.Skipped
		case o.Start.Add(asked.CatchUp).Before(now) && o.State == schedule.Pending:
			o.State = schedule.Missed
		}
	}
}

// again tries what could not be booked: what waits for a planner each time, what was taken at its time.
func (v *sight) again(ctx context.Context, r *schedule.Record, asked schedule.Request) error {
	if r.State != schedule.Active {
		return nil
	}
	tried := r.Tried
	r.Tried = v.now.UTC()
	for i := range r.Occurrences {
		o := &r.Occurrences[i]
		due := !o.Start.After(v.now) && o.Start.After(tried)
		if o.State != schedule.Pending && (o.State != schedule.Conflict || !due) || o.Start.Add(asked.CatchUp).Before(v.now) {
			continue
		}
		if err := v.book(ctx, o, asked, booking.Window{AsPossible: asked.AsPossible, Preemption: asked.Preemption}); err != nil && !refused(err) {
			return err
		}
	}
	return nil
}

// extend decides on the occurrences that come next, and says whether there are more.
func (v *sight) extend(ctx context.Context, r *schedule.Record, asked schedule.Request, length time.Duration) (more bool, err error) {
	list, more := asked.Next(r, v.now, length)
	for i := range list {
		o := &list[i]
		switch {
		case r.State == schedule.Paused && !o.Start.After(v.now):
			o.State = schedule.Skipped
		case r.State == schedule.Paused:
			return true, nil // it is for Resume to decide
		case o.State == schedule.Skipped:
		case o.Start.Add(asked.CatchUp).Before(v.now):
			o.State = schedule.Missed
		default:
			if err := v.book(ctx, o, asked, booking.Window{AsPossible: asked.AsPossible, Preemption: asked.Preemption}); err != nil && !refused(err) {
				return false, err
			}
		}
		r.Occurrences, r.Counted = append(r.Occurrences, *o), r.Counted+1
	}
	return more, nil
}
