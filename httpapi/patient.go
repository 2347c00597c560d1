package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/store/access"
	"oc-scheduler/streams/check"
)

// startLook is how often a replica that starts is asked whether it can serve a stream.
const startLook = 250 * time.Millisecond

// patient keeps event streams of a replica that starts open until it can serve them, and ends those of one that drains
// at once: the EventSource of a browser gives up for good on any answer but 200.
func (s *Server) patient(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if err == nil || c.Response().Committed || !waits(c) {
			return err
		}
		if starting(err) {
			err = s.keepOpen(c, next)
		}
		if errors.Is(err, carry.Draining) {
			return s.carry.Elsewhere(c.Response())
		}
		return err
	}
}

func starting(err error) bool { return err != nil && problemOf(err) == errStarting }

// waits says whether a request is for an event stream.
func waits(c echo.Context) bool {
	if r := c.Request(); r.Method != http.MethodGet || carry.Upgrades(r) || !prefersEvents(r) {
		return false
	}
	switch c.Path() {
	case "/oc/:id/check", "/runs/:id/events", "/schedules/:id/events", "/executions/:id/logs":
		return true
	}
	return false
}

// keepOpen begins the answer, and has it go on as soon as it can. What is refused then is told by an event.
func (s *Server) keepOpen(c echo.Context, next echo.HandlerFunc) error {
	if err := s.origins.check(c.Request()); err != nil {
		return err
	}
	var held *carry.Held
	err := error(errStarting)
	for starting(err) {
		leave, refusal := s.admit(c)
		if err = refusal; err != nil {
			break
		}
		ctx, part := s.joined(c)
		if held == nil {
			held, err = s.carry.Hold(c.Response())
		}
		if err == nil {
			err = held.Until(ctx, startLook, s.serves)
		}
		part()
		leave()
		if err != nil {
			return nil // the client has gone, or comes again elsewhere
		}
		c.Response().Writer, c.Response().Committed = held, false
		err = next(c)
	}
	if held == nil || err == nil {
		return err
	}
	if errors.Is(err, carry.Draining) {
		return nil // it comes again elsewhere
	}
	_ = held.Fail(refused(s.toldOf(err, c))) // it is heard or never will be
	return nil
}

// serves says whether what streams are about is loaded.
func (s *Server) serves() bool {
	parts := s.parts.Load()
	return parts != nil && !errors.Is(parts.Checks.Knows(access.Anonymous, ""), check.ErrNotLoaded)
}

// refused is the last event of a stream that does not come about.
func refused(p *Problem) carry.Frame {
	p = &Problem{Type: eventError, Title: p.Title, Status: p.Status, Detail: p.Detail, Errors: p.Errors}
	doc, err := p.doc()
	if err != nil {
		doc = []byte(`{"type":"error","status":500}`)
	}
	return carry.Frame{Event: eventError, Data: doc}
}
