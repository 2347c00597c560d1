package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	answer "oc-scheduler/store/booking"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

func (s *Server) postSchedule(c echo.Context) error {
	made, err := booked(s, c, schedule.ScheduleBody, Bookings.Book)
	if err != nil {
		return err
	}
	return created(c, "/schedules/"+made.ID, made)
}

// postPreview tells what would be booked. It changes nothing, so an Idempotency-Key has nothing to say here.
func (s *Server) postPreview(c echo.Context) error {
	n, err := howMany(c, booking.MaxPreview)
	if err != nil {
		return err
	}
	items, err := booked(s, c, schedule.ScheduleBody, func(b Bookings, ctx context.Context, a booking.Asked, r schedule.Request) ([]booking.Previewed, error) {
		items, err := b.Preview(ctx, a, r, n)
		if lacks := lacking(items); lacks != nil {
			err = &booking.MissingError{Result: lacks}
		}
		return items, err
	}, nParameter)
	if missing := (*booking.MissingError)(nil); err != nil && !errors.As(err, &missing) { // the items say what is
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusOK, list[booking.Previewed]{items})
}

// lacking is the first result that lacks a planner; nil: none does.
func lacking(items []booking.Previewed) *answer.Result {
	for _, o := range items {
		if len(o.Result.MissingPlanners) > 0 {
			return o.Result
		}
	}
	return nil
}

// list is all there is of something.
type list[T any] struct {
	Items []T `json:"items"`
}

// created answers with what was made, and where it is.
func created(c echo.Context, path string, made any) error {
	c.Response().Header().Set(echo.HeaderLocation, path)
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusCreated, made)
}

func (s *Server) getSchedule(c echo.Context) error { return showBooking(s, c, Bookings.Get) }

// getNext tells of the occurrences that come.
func (s *Server) getNext(c echo.Context) error {
	n, err := howMany(c, booking.MaxNext)
	if err != nil {
		return err
	}
	return showBooking(s, c, func(b Bookings, ctx context.Context, scheduleID string) (list[booking.Coming], error) {
		items, err := b.Next(ctx, scheduleID, n)
		return list[booking.Coming]{items}, err
	})
}

// showBooking answers with what is read of the schedule or hold in the path.
func showBooking[T any](s *Server, c echo.Context, read func(Bookings, context.Context, string) (T, error)) error {
	parts, name, err := s.bookingOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	found, err := read(parts.Bookings, ctx, name)
	if err != nil {
		return err
	}
	parts.tellAge(c)
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSON(http.StatusOK, found)
}

const (
	nParameter = "n"
	usualN     = 10
)

// howMany is ?n=. The error is a fault.List.
func howMany(c echo.Context, most int) (int, error) {
	q := parseQuery(c.Request())
	text := q.get(nParameter)
	if text == "" {
		return usualN, q.faults.Err()
	}
	n, ok := wholeNumber(text)
	if !ok || n < 1 || n > uint64(most) {
		q.fault(nParameter, "must be a whole number from 1 to %d", most)
	}
	return int(n), q.faults.Err()
}

func (s *Server) pauseSchedule(c echo.Context) error { return changeSchedule(s, c, Bookings.Pause) }

func (s *Server) resumeSchedule(c echo.Context) error { return changeSchedule(s, c, Bookings.Resume) }

// changeSchedule changes a schedule, and answers with it as it is then.
func changeSchedule(s *Server, c echo.Context, change func(b Bookings, ctx context.Context, scheduleID, by string) error) error {
	return showBooking(s, c, func(b Bookings, ctx context.Context, scheduleID string) (schedule.Schedule, error) {
		if err := change(b, ctx, scheduleID, subjectOf(c).ID); err != nil {
			return schedule.Schedule{}, ofWrite(err)
		}
		return b.Get(ctx, scheduleID)
	})
}

// deleteSchedule cancels: what has not begun is freed, also again; a run, too, that waits for its time. With
// ?runs=cancel those under way end, too.
func (s *Server) deleteSchedule(c echo.Context) error {
	q := readQuery(c.Request(), "runs")
	runs := q.get("runs")
	if runs != "" && runs != "keep" && runs != "cancel" {
		q.fault("runs", "must be keep or cancel")
	}
	if err := q.faults.Err(); err != nil {
		return err
	}
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	return s.endBooking(c, func(_ Bookings, ctx context.Context, scheduleID, by string) error {
		return parts.cancelSchedule(ctx, scheduleID, by, runs == "cancel")
	})
}

// cancelSchedule ends a schedule on behalf of somebody, and the runs of it that wait; with begun those under way, too.
func (p *Parts) cancelSchedule(ctx context.Context, scheduleID, by string, begun bool) error {
	if err := p.Bookings.Cancel(ctx, scheduleID, by); err != nil {
		return err
	}
	return p.Runs.CancelOf(ctx, scheduleID, run.Cancel{By: by, Reason: "its schedule was"}, begun)
}

func (s *Server) endBooking(c echo.Context, end func(b Bookings, ctx context.Context, name, by string) error) error {
	parts, name, err := s.bookingOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	if err := end(parts.Bookings, ctx, name, subjectOf(c).ID); err != nil {
		return ofWrite(err)
	}
	return c.NoContent(http.StatusNoContent)
}
