package booking

import (
	"context"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/calendar"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/schedule"
)

// How many occurrences are told of at a time.
const (
	MaxPreview = 256
	MaxNext    = 1000
)

// Previewed is an occurrence and what a check says of it.
type Previewed struct {
	Nominal time.Time       `json:"nominal"`
	Start   time.Time       `json:"start"`
	End     time.Time       `json:"end"`
	Result  *booking.Result `json:"result"`
}

// Preview tells of the first n occurrences of a request, each alone against what stands, and books nothing. Those
// that overlap skips are left out. It fails with ErrNotLoaded, ErrUnknownWorkflow, ErrCrowded, a fault.List, or as ctx ends.
func (s *Service) Preview(ctx context.Context, a Asked, r schedule.Request, n int) ([]Previewed, error) {
	w, err := s.workflow(a.WorkflowID)
	if err != nil {
		return nil, err
	}
	v := s.look(w.Workflow, r.Selected, "")
	v.who = a.Who
	win, err := r.Resolve(w.Workflow, v.now)
	if err == nil {
		err = win.Covers(w.Workflow)
	}
	if err != nil {
		return nil, err
	}
	leave, err := s.looking.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	list, err := previewed(ctx, r, v.now, win, n)
	if err == nil {
		err = checkLooked(w.Workflow, len(list))
	}
	if err != nil {
		return nil, err
	}
	return v.preview(ctx, list, win)
}

// preview tells of occurrences. It fails with ErrCrowded, a fault.List, or as ctx ends.
func (v *sight) preview(ctx context.Context, list []schedule.Occurrence, like booking.Window) ([]Previewed, error) {
	answer, err := v.answers()
	if err != nil {
		return nil, err
	}
	items, said := make([]Previewed, 0, len(list)), told(0)
	for _, o := range list {
		if err := inTime(ctx); err != nil {
			return nil, err
		}
		each := booking.Window{
			Start: o.Start.UnixNano(), End: o.End.UnixNano(), From: o.Start.UnixNano(), AsPossible: like.AsPossible, Preemption: like.Preemption,
		}
		result, err := answer(each)
		if err == nil {
			err = said.add(result)
		}
		if err != nil {
			return nil, err
		}
		items = append(items, Previewed{o.Nominal, result.Start, result.End, result})
	}
	return items, nil
}

// previewed are the first n occurrences of a request. It fails with a fault.List, or as inTime does.
func previewed(ctx context.Context, r schedule.Request, now time.Time, win booking.Window, n int) (list []schedule.Occurrence, err error) {
	if !r.Recurs {
		list, _, err := occurrences(r, now, win)
		return list, err
	}
	from := now
	if r.Start.After(now) {
		from = r.Start
	} else {
		r.Start = time.Time{}
	}
	for o := range r.Rest(&schedule.Record{}, now, time.Duration(win.End-win.Start)) {
		if len(list) == n || len(list) == 0 && o.Start.Sub(from) > calendar.Horizon || o.End.Sub(now) > booking.Horizon {
			break
		}
		if err := inTime(ctx); err != nil {
			return nil, err
		}
		if o.State == "" {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return nil, fault.List{{Path: "$.cron", Message: "nothing happens within 366 days"}}
	}
	return list, nil
}

// Coming is an occurrence that comes; it has a state once it was decided on.
type Coming struct {
	Nominal time.Time                `json:"nominal"`
	Start   time.Time                `json:"start"`
	End     time.Time                `json:"end"`
	State   schedule.OccurrenceState `json:"state,omitempty"`
}

// Next tells of the next n occurrences of a schedule, also of those that nobody has decided on. It fails as Get does.
func (s *Service) Next(ctx context.Context, id string, n int) ([]Coming, error) {
	r, err := s.known(ctx, id)
	if err != nil {
		return nil, err
	}
	asked, v, length, err := s.asked(&r, false)
	if err != nil {
		return nil, err
	}
	items := []Coming{}
	for _, o := range r.Occurrences {
		if o.Start.After(v.now) && len(items) < n {
			items = append(items, Coming{o.Nominal, o.Start, o.End, o.State})
		}
	}
	if r.State.Final() {
		return items, nil
	}
	for o := range asked.Rest(&r, v.now, length) {
		if len(items) == n {
			break
		}
		if o.Start.After(v.now) {
			items = append(items, Coming{o.Nominal, o.Start, o.End, o.State})
		}
	}
	return items, nil
}
