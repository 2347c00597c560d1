package httpapi

import (
	"context"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/schedule"
)

func (s *Server) postHold(c echo.Context) error {
	made, err := booked(s, c, schedule.HoldBody, Bookings.Hold)
	if err != nil {
		return err
	}
	return created(c, "/holds/"+made.ID, made)
}

func (s *Server) getHold(c echo.Context) error { return showBooking(s, c, Bookings.GetHold) }

// deleteHold frees what a hold has taken, also again.
func (s *Server) deleteHold(c echo.Context) error { return s.endBooking(c, Bookings.ReleaseHold) }

// confirmHold makes a schedule of a hold. Its body may be empty.
func (s *Server) confirmHold(c echo.Context) error {
	parts, holdID, err := s.bookingOf(c)
	if err != nil {
		return err
	}
	body, err := s.body(c)
	if err != nil {
		return err
	}
	r, err := schedule.DecodeRequest(wishOf(schedule.ConfirmBody, body), schedule.ConfirmBody)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	made, err := parts.Bookings.Confirm(ctx, holdID, askedBy(c, ""), r)
	if err != nil {
		return ofWrite(err)
	}
	return created(c, "/schedules/"+made.ID, made)
}
