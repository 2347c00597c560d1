package ui

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// holdPage is what is held for a while.
type holdPage struct {
	schedule.Hold
	MayWrite bool
}

// showHold shows what is held, and for how long still.
func (s *Site) showHold(c echo.Context, p *Parts) (View, error) {
	h, err := s.holdOf(c, p)
	if err != nil {
		return View{}, err
	}
	follow := &Follow{Every: nowAndThen}
	for _, b := range h.Bookings {
		follow.Changes = append(follow.Changes, Of(TheBookings, b.PeerID))
	}
	return View{Template: "hold.html", Age: p.Age(), Title: "Hold " + visible(h.ID), Follow: follow, Body: holdPage{h, s.mayWrite(c)}}, nil
}

// confirm makes a schedule of a hold, and shows it.
func (s *Site) confirm(c echo.Context, p *Parts) error {
	h, err := s.holdOf(c, p)
	if err != nil {
		return err
	}
	r, err := schedule.DecodeRequest([]byte(`{}`), schedule.ConfirmBody)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	made, err := p.Bookings.Confirm(ctx, h.ID, booking.Asked{WorkflowID: h.WorkflowID, By: s.Subject(c).ID, Who: s.Subject(c)}, r)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, address("schedules", made.ID))
}

// release gives back what is held, and goes to the workflow that it was held for.
func (s *Site) release(c echo.Context, p *Parts) error {
	h, err := s.holdOf(c, p)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	if err := p.Bookings.ReleaseHold(ctx, h.ID, s.Subject(c).ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, address("workflows", h.WorkflowID))
}

// holdOf is the hold in the address, if its workflow is there for who asks. It fails with booking.ErrGone once it
// has ended, and with booking.ErrNotFound.
func (s *Site) holdOf(c echo.Context, p *Parts) (schedule.Hold, error) {
	holdID, err := pathID(c)
	if err != nil {
		return schedule.Hold{}, err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	h, err := p.Bookings.GetHold(ctx, holdID)
	if err != nil {
		return h, err
	}
	if !p.Shows(s.Subject(c), h.WorkflowID) {
		return h, booking.ErrNotFound
	}
	return h, nil
}
