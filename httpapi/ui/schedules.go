package ui

import (
	"context"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// Bookings books, and tells of it.
type Bookings interface {
	// Book returns what booking.Service does.
	Book(ctx context.Context, a booking.Asked, r schedule.Request) (schedule.Schedule, error)
	Hold(ctx context.Context, a booking.Asked, r schedule.Request) (schedule.Hold, error)
	Preview(ctx context.Context, a booking.Asked, r schedule.Request, n int) ([]booking.Previewed, error)
	Confirm(ctx context.Context, holdID string, a booking.Asked, r schedule.Request) (schedule.Schedule, error)
	// Get returns booking.ErrNotFound or kv.ErrUnavailable; so do those below.
	Get(ctx context.Context, scheduleID string) (schedule.Schedule, error)
	Next(ctx context.Context, scheduleID string, n int) ([]booking.Coming, error)
	GetHold(ctx context.Context, holdID string) (schedule.Hold, error)
	ReleaseHold(ctx context.Context, holdID, by string) error
	// Pause returns booking.ErrEnded, too, as does Resume.
	Pause(ctx context.Context, scheduleID, by string) error
	Resume(ctx context.Context, scheduleID, by string) error
	Schedules() *kv.View[plan.Listed]
}

// Risks knows which schedules are at risk.
type Risks interface {
	// Tell is a schedule of a list, with whether something of it is.
	Tell(listed plan.Listed) plan.Listed
}

// natsWithin bounds what a page waits for NATS.
const natsWithin = 5 * time.Second

// schedulePage is a schedule with what comes next of it.
type schedulePage struct {
	schedule.Schedule
	Shown      []schedule.Occurrence // the last and the next ones
	More       int                   // that are not shown
	Coming     []booking.Coming      // that nobody has decided on
	Recurrence recurrence
	MayWrite   bool
}

// mostOccurrences is how many a page shows.
const mostOccurrences = 50

// schedule shows what a schedule has booked.
func (s *Site) schedule(c echo.Context, p *Parts) (View, error) {
	found, err := s.found(c, p)
	if err != nil {
		return View{}, err
	}
	v := schedulePage{Schedule: found, Shown: found.Occurrences, MayWrite: s.mayWrite(c)}
	if v.More = max(len(v.Shown)-mostOccurrences, 0); v.More > 0 {
		v.Shown = v.Shown[:mostOccurrences]
	}
	v.Recurrence = recurrenceOf(found.Request)
	if v.More == 0 && v.Recurrence.Cron != "" {
		if v.Coming, err = p.coming(c.Request().Context(), found.ID); err != nil {
			return View{}, err
		}
	}
	return View{Template: "schedule.html", Age: p.Age(), Title: "Schedule " + visible(found.ID), Follow: follow(Of(TheSchedules, found.ID)), Body: v}, nil
}

// mostComing is how many occurrences a page tells of beyond what was decided on.
const mostComing = 10

// coming are the next occurrences of a schedule that nobody has decided on.
func (p *Parts) coming(ctx context.Context, scheduleID string) ([]booking.Coming, error) {
	ctx, cancel := context.WithTimeout(ctx, natsWithin)
	defer cancel()
	next, err := p.Bookings.Next(ctx, scheduleID, mostOccurrences+mostComing)
	next = slices.DeleteFunc(next, func(o booking.Coming) bool { return o.State != "" })
	return next[:min(len(next), mostComing)], err
}

func (s *Site) pause(c echo.Context, p *Parts, _ form) (string, error) {
	return s.changed(c, p, p.Bookings.Pause)
}

func (s *Site) resume(c echo.Context, p *Parts, _ form) (string, error) {
	return s.changed(c, p, p.Bookings.Resume)
}

// cancel ends a schedule, and the runs of it that wait for their time.
func (s *Site) cancel(c echo.Context, p *Parts, _ form) (string, error) {
	return s.changed(c, p, p.CancelSchedule)
}

// askCancel asks whether a schedule shall really end.
func (s *Site) askCancel(c echo.Context, p *Parts) (View, error) {
	found, err := s.found(c, p)
	if err != nil {
		return View{}, err
	}
	return View{Template: "sure.html", Title: "Cancel schedule " + visible(found.ID), Body: sure{
		Title: "Cancel this schedule?", Of: found.ID, Back: address("schedules", found.ID), Action: address("schedules", found.ID) + "/cancel",
		Button: "Cancel the schedule", Words: "What has not begun is freed, for others to take; runs that have begun go on. This can't be undone.",
	}}, nil
}

// changed changes the schedule in the address, and shows it again.
func (s *Site) changed(c echo.Context, p *Parts, change func(ctx context.Context, scheduleID, by string) error) (string, error) {
	found, err := s.found(c, p)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	return address("schedules", found.ID), change(ctx, found.ID, s.Subject(c).ID)
}

// found is the schedule in the address, if its workflow is there for who asks.
func (s *Site) found(c echo.Context, p *Parts) (schedule.Schedule, error) {
	scheduleID, err := pathID(c)
	if err != nil {
		return schedule.Schedule{}, err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	found, err := p.Bookings.Get(ctx, scheduleID)
	if err != nil {
		return found, err
	}
	if !p.Shows(s.Subject(c), found.WorkflowID) {
		return found, booking.ErrNotFound
	}
	return found, nil
}
