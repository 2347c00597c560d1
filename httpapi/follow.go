package httpapi

import (
	"context"
	"math"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/histories"
	"oc-scheduler/store/history"
)

// runEvents tells of a run until it is over.
func (s *Server) runEvents(c echo.Context) error {
	return s.follow(c, &s.runs, history.OfRun, func(ctx context.Context) (stood, error) {
		_, r, err := s.runOf(ctx, c)
		return stood{r.Run, r.State.Final(), r.History(), 0}, err
	})
}

// scheduleEvents tells of a schedule until it is over.
func (s *Server) scheduleEvents(c echo.Context) error {
	return s.follow(c, &s.schedules, history.OfSchedule, func(ctx context.Context) (stood, error) {
		parts, scheduleID, err := s.addressed(c)
		if err != nil {
			return stood{}, err
		}
		found, log, err := parts.Bookings.GetLogged(ctx, scheduleID)
		if err == nil && !parts.Shows(subjectOf(c), found.WorkflowID) {
			err = errNoBooking
		}
		return stood{found, found.State.Final(), log, found.Risk()}, err
	})
}

// follow tells, as server-sent events, of the thing in the path, which read reads if it is there for who asks. Last-Event-ID
// says how far a client that comes again has come.
func (s *Server) follow(c echo.Context, of *changes, kind history.Kind, read func(context.Context) (stood, error)) error {
	parts, name, err := s.addressed(c)
	if err != nil {
		return err
	}
	seq, comesAgain, err := askedEvents(c.Request())
	if err == nil {
		err = s.origins.check(c.Request())
	}
	if err != nil {
		return err
	}
	changed, forget := of.join(name) // before the first look
	defer forget()
	f := &following{
		changed: changed, seq: seq, anew: !comesAgain,
		read: func(ctx context.Context) (stood, error) {
			now, err := read(ctx)
			now.log = histories.Discreet(subjectOf(c), now.log)
			return now, err
		},
		past: func(ctx context.Context, after, limit int) (history.Log, error) {
			log, err := parts.Past.Read(ctx, kind, name, after, limit)
			return histories.Discreet(subjectOf(c), log), err
		},
	}
	if f.now, err = within(c.Request().Context(), f.read); err != nil {
		return err
	}
	parts.tellAge(c)
	switch {
	case f.ended():
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		return c.NoContent(http.StatusNoContent)
	case c.Request().Method == http.MethodHead:
		return headOutput(c, true)
	}
	return s.serveFollowing(c, f)
}

func (s *Server) serveFollowing(c echo.Context, f *following) error {
	leave, err := s.admit(c)
	if err != nil {
		return err
	}
	defer leave()
	ctx, part := s.joined(c)
	defer part()
	c.Set(isStream, s.carry.Events(ctx, c.Response(), s.carry.Pump(ctx, f.event)))
	return nil
}

// askedEvents is the number of the last transition that a client has, if it comes again. The error is a fault.List.
func askedEvents(r *http.Request) (seq int, comesAgain bool, err error) {
	q := readQuery(r)
	text := r.Header.Get(lastEventID)
	n, ok := wholeNumber(text)
	if text != "" && !ok {
		q.fault(lastEventID, "must be the id of an event")
	}
	return int(min(n, math.MaxInt32)), text != "", q.faults.Err()
}
