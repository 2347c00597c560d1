package booking

import (
	"cmp"
	"context"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// fit places a window, or the earliest one that fits, and tells which. Where nothing fits, and it was asked so, those
// who yield have to give way. It fails with plan.ErrStale, *TakenError, *MissingError or a fault.List, as ctx ends, and
// as plan.Schedule does.
func (v *sight) fit(ctx context.Context, win booking.Window) ([]schedule.Taken, booking.Window, error) {
	if win.AsPossible {
		r, err := v.result(win)
		if err == nil && (r.Status != booking.Unavailable || !win.Preemption) {
			err = v.refusal(r)
		}
		if err != nil {
			return nil, win, err
		}
		win.Start, win.End = r.Start.UnixNano(), r.End.UnixNano()
	}
	taken, fits, err := v.place(win)
	if err == nil {
		err = ctx.Err() // that may have taken long
	}
	if err == nil && !fits && v.fresh && win.Preemption {
		taken, fits, err = v.preempt(ctx, win)
	}
	if err != nil || fits {
		return taken, win, err
	}
	if !v.fresh {
		return nil, win, plan.ErrStale
	}
	win.Preemption = false // what does not give way is as if nobody had asked
	r, err := v.result(win)
	if err == nil {
		err = cmp.Or(v.refusal(r), plan.ErrStale) // by now it fits
	}
	return nil, win, err
}

// refusal is why a check says that something can't be booked; nil when it can.
func (v *sight) refusal(r *booking.Result) error {
	switch {
	case r.Status == booking.Available:
		return nil
	case !v.fresh:
		return plan.ErrStale
	case r.Status == booking.Unavailable:
		return &TakenError{r}
	}
	return &MissingError{r}
}

// late refuses an occurrence that fits too late for its run to start.
func (v *sight) late(o *schedule.Occurrence) error {
	r, err := v.result(booking.Window{Start: o.Start.UnixNano(), End: o.End.UnixNano(), From: o.Start.UnixNano()})
	if err != nil {
		return err
	}
	return &TakenError{r}
}
