package ui

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/histories"
	"oc-scheduler/store/history"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// holdPage is what is held for a while.
type holdPage struct {
	schedule.Hold
	MayWrite bool
	Ended    *holdEnd // nil: it stands
}

// holdEnd is what has become of a hold that is there no more.
type holdEnd struct {
	ID, WorkflowID string
	history.Item   // zero: that has not been written down yet
}

// showHold shows what is held, and for how long still.
func (s *Site) showHold(c echo.Context, p *Parts) (View, error) {
	h, err := s.holdOf(c, p)
	if errors.Is(err, booking.ErrNotFound) {
		return s.heldOnce(c, p)
	}
	if err != nil {
		return View{}, err
	}
	follow := &Follow{Every: nowAndThen}
	for _, b := range h.Bookings {
		follow.Changes = append(follow.Changes, Of(TheBookings, b.PeerID))
	}
	return View{Template: "hold.html", Age: p.Age(), Title: "Hold " + visible(h.ID), Follow: follow, Body: holdPage{h, s.mayWrite(c), nil}}, nil
}

// heldOnce tells what has become of a hold that is there no more. It fails with booking.ErrNotFound where there never was
// one for who asks.
func (s *Site) heldOnce(c echo.Context, p *Parts) (View, error) {
	holdID, err := pathID(c)
	if err != nil {
		return View{}, err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	workflowID, last, err := p.HeldOnce(ctx, holdID)
	if err != nil {
		return View{}, err
	}
	if workflowID == "" || !p.Shows(s.Subject(c), workflowID) {
		return View{}, booking.ErrNotFound
	}
	last = histories.Discreet(s.Subject(c), history.Log{last})[0]
	if last.To == string(schedule.Held) { // the rest is being written down
		last = history.Item{}
	}
	return View{Status: http.StatusGone, Template: "hold.html", Title: "Hold " + visible(holdID), Body: holdPage{
		Hold: schedule.Hold{ID: holdID}, Ended: &holdEnd{holdID, workflowID, last},
	}}, nil
}

// confirm makes a schedule of a hold, and shows it.
func (s *Site) confirm(c echo.Context, p *Parts, f form) (string, error) {
	h, err := s.holdOf(c, p)
	if err != nil {
		return "", err
	}
	r, err := schedule.DecodeRequest([]byte(`{}`), schedule.ConfirmBody)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	made, err := p.Bookings.Confirm(ctx, h.ID, booking.Asked{WorkflowID: h.WorkflowID, By: s.Subject(c).ID, Who: s.Subject(c), Claim: f.claim}, r)
	return address("schedules", made.ID), err
}

// release gives back what is held, and goes to the workflow that it was held for.
func (s *Site) release(c echo.Context, p *Parts, _ form) (string, error) {
	h, err := s.holdOf(c, p)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	return address("workflows", h.WorkflowID), p.Bookings.ReleaseHold(ctx, h.ID, s.Subject(c).ID)
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
