package httpapi

import (
	"context"
	"errors"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// bookingOf is what is served, and the schedule or hold in the path, if its workflow is there for who asks. Who sees all
// groups, or saw a hold that has ended, is told by the call that follows when it is there no more.
func (s *Server) bookingOf(c echo.Context) (*Parts, string, error) {
	parts, name, err := s.addressed(c)
	if err != nil || subjectOf(c).Everywhere() {
		return parts, name, err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	workflowID, err := parts.bookedFor(ctx, name)
	if err == nil && !parts.Shows(subjectOf(c), workflowID) {
		workflowID, err = parts.heldFor(ctx, name) // as for what is not there
	}
	if err == nil && !parts.Shows(subjectOf(c), workflowID) {
		err = errNoBooking
	}
	return parts, name, err // of what could not be asked nobody knows whose it is
}

// bookedFor is the workflow of a schedule or hold; "": it is not there, or cannot be read by anybody.
func (p *Parts) bookedFor(ctx context.Context, name string) (workflowID string, err error) {
	if schedule.OfHold.Is(name) {
		var hold schedule.Hold
		hold, err = p.Bookings.GetHold(ctx, name)
		workflowID = hold.WorkflowID
	} else {
		var found schedule.Schedule
		found, err = p.Bookings.Get(ctx, name)
		workflowID = found.WorkflowID
	}
	if errors.Is(err, booking.ErrNotFound) || errors.Is(err, kv.ErrUndecodable) {
		return "", nil
	}
	return workflowID, err
}

// heldFor is the workflow of a hold that has ended; "": there was none.
func (p *Parts) heldFor(ctx context.Context, name string) (workflowID string, err error) {
	if !schedule.OfHold.Is(name) {
		return "", nil
	}
	if workflowID, err = p.Plan.HeldFor(ctx, name); workflowID != "" || err != nil {
		return workflowID, err
	}
	workflowID, _, err = p.passedOn(ctx, name)
	return workflowID, err
}

// heldOnce is heldFor with what has become of the hold, as far as its history has come.
func (p *Parts) heldOnce(ctx context.Context, name string) (workflowID string, last history.Item, err error) {
	if !schedule.OfHold.Is(name) {
		return "", last, nil
	}
	if workflowID, last, err = p.passedOn(ctx, name); workflowID != "" || err != nil {
		return workflowID, last, err
	}
	workflowID, err = p.Plan.HeldFor(ctx, name)
	return workflowID, last, err
}

// passedOn is the last of a hold's history, and its workflow; "": there is none that can be read.
func (p *Parts) passedOn(ctx context.Context, name string) (workflowID string, last history.Item, err error) {
	past, err := p.Past.Last(ctx, history.OfHold, name)
	if errors.Is(err, kv.ErrUndecodable) {
		return "", last, nil
	}
	return past.WorkflowID, past.Item, err
}
