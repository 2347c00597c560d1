package ui

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// book books what the form asks, and shows the schedule.
func (s *Site) book(c echo.Context, p *Parts, f form) (string, error) {
	return taken(s, c, p, f, schedule.ScheduleBody, func(ctx context.Context, a booking.Asked, r schedule.Request) (string, error) {
		made, err := p.Bookings.Book(ctx, a, r)
		return address("schedules", made.ID), err
	})
}

// hold holds what the form asks for a short while, and shows the hold.
func (s *Site) hold(c echo.Context, p *Parts, f form) (string, error) {
	return taken(s, c, p, f, schedule.HoldBody, func(ctx context.Context, a booking.Asked, r schedule.Request) (string, error) {
		made, err := p.Bookings.Hold(ctx, a, r)
		return address("holds", made.ID), err
	})
}

// start books as much as the form asks from now on, begins the run of it, and shows that.
func (s *Site) start(c echo.Context, p *Parts, f form) (string, error) {
	return taken(s, c, p, f, schedule.RunBody, func(ctx context.Context, a booking.Asked, r schedule.Request) (string, error) {
		made, err := p.Bookings.Book(ctx, a, r)
		if err != nil {
			return "", err
		}
		begun, err := p.Runs.Start(ctx, made.ID)
		return address("runs", begun.ID), err
	})
}

// taken takes what the form asks for by a request of a kind, and leads to the page of what was made. What says something
// else than what was checked is checked, and shown, before.
func taken(s *Site, c echo.Context, p *Parts, f form, kind schedule.Body, take func(context.Context, booking.Asked, schedule.Request) (page string, err error)) (to string, err error) {
	workflowID, w, err := s.wished(c, p, f)
	if err == nil && f.checked() != "" && f.checked() != w.Mark() {
		return anew(workflowID, w, kind), nil
	}
	if kind == schedule.RunBody && err == nil {
		w = w.Now()
	}
	var r schedule.Request
	if err == nil {
		r, err = w.Request(kind)
	}
	if err != nil {
		return "", s.faulted(c, p, workflowID, w, err)
	}
	try := func() (string, error) {
		ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
		defer cancel()
		return take(ctx, booking.Asked{WorkflowID: workflowID, By: s.Subject(c).ID, Who: s.Subject(c), Claim: f.claim}, r)
	}
	for until := time.Now().Add(plannersWithin); ; {
		to, err := try()
		wait := time.Until(until)
		if missing := (*booking.MissingError)(nil); !errors.As(err, &missing) || wait <= 0 {
			return to, s.faulted(c, p, workflowID, w, err)
		}
		if err := f.claim.Extend(c.Request().Context(), wait); err != nil {
			return "", err
		}
		// Nobody watches them where no script runs, nor from the page before to this one.
		if err := s.Await(c, workflowID, r.Request, wait); err != nil {
			return "", err
		}
	}
}

// anew is where what a form says is asked, and the answer shown.
func anew(workflowID string, w Wish, kind schedule.Body) string {
	page := address("workflows", workflowID)
	switch {
	case kind == schedule.RunBody:
		page += "/runs"
	case w.recurs():
		page += "/recurring"
	}
	values := maps.Clone(w.Values)
	values.Set(changedField, "true")
	return page + "?" + values.Encode()
}

// faulted is the error of a form that is shown again with what is wrong at its fields, and all that was typed. An error that
// tells of no faults it returns.
func (s *Site) faulted(c echo.Context, p *Parts, workflowID string, w Wish, err error) error {
	if faults := fault.List(nil); !errors.As(err, &faults) {
		return err
	}
	of, known := s.known(c, p, workflowID)
	if known != nil {
		return known
	}
	var v View
	if w.recurs() {
		v, err = s.recurs(c, p, workflowID, w, err)
	} else {
		v, err = s.asks(c, p, of, w.Question, err)
	}
	if err != nil {
		return err
	}
	return &formAgain{v}
}

// plannersWithin bounds what a form waits for planners that are missing.
const plannersWithin = 5 * time.Second
