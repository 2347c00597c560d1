package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/access"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// Bookings books, holds, and tells of it. All but Schedules needs NATS.
type Bookings interface {
	// Book returns booking.ErrNotLoaded, booking.ErrUnknownWorkflow, a fault.List, *booking.TakenError,
	// *booking.MissingError or kv.ErrUnavailable; so does Hold. Preview returns booking.ErrCrowded, too.
	Book(ctx context.Context, a booking.Asked, r schedule.Request) (schedule.Schedule, error)
	Hold(ctx context.Context, a booking.Asked, r schedule.Request) (schedule.Hold, error)
	Preview(ctx context.Context, a booking.Asked, r schedule.Request, n int) ([]booking.Previewed, error)
	// Confirm returns booking.ErrNotFound, booking.ErrGone, booking.ErrConfirmed or what Book does.
	Confirm(ctx context.Context, holdID string, a booking.Asked, r schedule.Request) (schedule.Schedule, error)
	// ReleaseHold returns booking.ErrNotFound or kv.ErrUnavailable; so do those below.
	ReleaseHold(ctx context.Context, holdID, by string) error
	GetHold(ctx context.Context, holdID string) (schedule.Hold, error)
	Get(ctx context.Context, scheduleID string) (schedule.Schedule, error)
	GetLogged(ctx context.Context, scheduleID string) (schedule.Schedule, history.Log, error)
	Next(ctx context.Context, scheduleID string, n int) ([]booking.Coming, error)
	Cancel(ctx context.Context, scheduleID, by string) error
	// Pause returns booking.ErrEnded, too, as does Resume.
	Pause(ctx context.Context, scheduleID, by string) error
	Resume(ctx context.Context, scheduleID, by string) error
	Schedules() *kv.View[plan.Listed]
}

// errNoBooking is for ids of schedules and holds alike.
var errNoBooking = newProblem(http.StatusNotFound, "no such schedule or hold")

// bookingRoutes are those that book, and tell of it.
func (s *Server) bookingRoutes() []route {
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	return []route{
		{get, "/oc/:id/schedules", access.Read, s.listSchedulesOf},
		{post, "/oc/:id/schedules", access.Write, s.once(s.ofWorkflow, readsWish(schedule.ScheduleBody), s.postSchedule)},
		{post, "/oc/:id/preview", access.Read, s.postPreview},
		{post, "/oc/:id/holds", access.Write, s.once(s.ofWorkflow, readsWish(schedule.HoldBody), s.postHold)},
		{get, "/schedules", access.Read, s.listSchedules},
		{get, "/schedules/:id", access.Read, s.getSchedule},
		{get, "/schedules/:id/next", access.Read, s.getNext},
		{get, "/schedules/:id/events", access.Read, s.scheduleEvents},
		{post, "/schedules/:id/pause", access.Write, s.once(s.ofBooking, readsNothing, s.pauseSchedule)},
		{post, "/schedules/:id/resume", access.Write, s.once(s.ofBooking, readsNothing, s.resumeSchedule)},
		{del, "/schedules/:id", access.Write, s.deleteSchedule},
		{get, "/holds/:id", access.Read, s.getHold},
		{del, "/holds/:id", access.Write, s.deleteHold},
		{post, "/holds/:id/confirm", access.Write, s.once(s.ofBooking, readsWish(schedule.ConfirmBody), s.confirmHold)},
	}
}

// bookingProblem is the problem of an error of bookings; nil for others.
func bookingProblem(err error) *Problem {
	var (
		taken   *booking.TakenError
		missing *booking.MissingError
	)
	switch {
	case errors.As(err, &taken):
		p := newProblem(http.StatusConflict, "what was asked for is taken, or more than there is; see result")
		p.Result = taken.Result.JSON()
		return p
	case errors.As(err, &missing):
		p := newProblem(http.StatusConflict, "planners are missing; wait_s in the body waits for them")
		p.MissingPlanners = missing.Result.MissingPlanners
		return p
	case errors.Is(err, booking.ErrNotLoaded):
		return errStarting
	case errors.Is(err, booking.ErrBusy):
		return errBusy
	case errors.Is(err, plan.ErrContended):
		return errContended
	case errors.Is(err, plan.ErrSlow):
		return errSlow
	case errors.Is(err, booking.ErrCrowded):
		return errCrowded
	case errors.Is(err, booking.ErrUnknownWorkflow):
		return errNoWorkflow
	case errors.Is(err, booking.ErrNotFound), errors.Is(err, kv.ErrUndecodable): // what nobody can read counts as absent
		return errNoBooking
	case errors.Is(err, booking.ErrGone):
		return newProblem(http.StatusGone, "%v", err)
	case errors.Is(err, booking.ErrEnded), errors.Is(err, booking.ErrConfirmed):
		return newProblem(http.StatusConflict, "%v", err)
	case errors.Is(err, plan.ErrStale):
		return errBehind
	case errors.Is(err, plan.ErrInProgress):
		return errInProgress
	case errors.Is(err, plan.ErrOtherRequest):
		return errOtherRequest
	}
	return nil
}

// wishOf is a body, which may be left out where nothing has to be said.
func wishOf(kind schedule.Body, body []byte) []byte {
	if len(body) == 0 && (kind == schedule.RunBody || kind == schedule.ConfirmBody) {
		return []byte("{}")
	}
	return body
}

// booked has something booked for the workflow in the path, as its body asks. Where it says so, planners that
// are missing are asked for and waited for.
func booked[T any](s *Server, c echo.Context, kind schedule.Body, book func(Bookings, context.Context, booking.Asked, schedule.Request) (T, error), parameters ...string) (made T, err error) {
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return made, err
	}
	body, err := s.body(c)
	if err != nil {
		return made, err
	}
	r, err := schedule.DecodeRequest(wishOf(kind, body), kind)
	if err = fault.All(readQuery(c.Request(), parameters...).faults.Err(), err); err != nil {
		return made, err
	}
	if err := s.checkable(c, parts, workflowID); err != nil {
		return made, err
	}
	asked := askedBy(c, workflowID)
	try := func() (T, error) {
		ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
		defer cancel()
		made, err := book(parts.Bookings, ctx, asked, r)
		return made, ofWrite(err)
	}
	made, err = try()
	for until := time.Now().Add(min(r.Wait, s.cfg.MaxWait)); ; {
		wait := time.Until(until)
		if missing := (*booking.MissingError)(nil); !errors.As(err, &missing) || wait <= 0 {
			return made, err
		}
		if err := asked.Claim.Extend(c.Request().Context(), wait); err != nil {
			return made, err
		}
		// Planners go again when nobody watches them: so it is tried before the wait is over.
		if _, lost := s.ask(c, parts, workflowID, r.Request, wait, func() { made, err = try() }); lost != nil {
			return made, lost
		}
	}
}
