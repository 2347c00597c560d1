package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/httpapi/carry"
	"oc-scheduler/httpapi/ui"
	"oc-scheduler/store"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/strictjson"
	"oc-scheduler/streams/check"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/orchestrator"
)

// statusClientGone is what proxies write of a request whose client left; nobody reads it.
const statusClientGone = 499

var (
	errWhoAsks     = newProblem(http.StatusUnauthorized, "this takes valid credentials")
	errForeign     = newProblem(http.StatusForbidden, "with the session of a browser only pages of this host may do this")
	errPassedOn    = newProblem(http.StatusForbidden, "a proxy has passed this on, and whoever comes through one would be an administrator here: give --auth on, or --auth off where the proxy decides who may do what")
	errIssuerAway  = newProblem(http.StatusServiceUnavailable, "the issuer that vouches for people is out of reach").after(retryLimited)
	errGuesses     = newProblem(http.StatusServiceUnavailable, "these credentials are new here, and too many of that kind are looked up now").after(retrySoon)
	errInternal    = newProblem(http.StatusInternalServerError, "a fault in this server; its log has it under the X-Request-ID")
	errStarting    = newProblem(http.StatusServiceUnavailable, "this replica is starting: what it serves is not loaded yet").after(retrySoon)
	errBehind      = newProblem(http.StatusServiceUnavailable, "this replica has not yet learned of what was just written").after(retrySoon)
	errBusy        = newProblem(http.StatusServiceUnavailable, "too many book at the same peers now; nothing was booked").after(retrySoon)
	errContended   = newProblem(http.StatusServiceUnavailable, "others have booked the same instances each time that this was to be; nothing was booked").after(retrySoon)
	errSlow        = newProblem(http.StatusServiceUnavailable, "there is more to decide on than there is time; nothing was booked: ask for fewer occurrences").after(retrySoon)
	errCrowded     = newProblem(http.StatusServiceUnavailable, "too many previews are made now, or this one takes too long: come again, or ask for fewer occurrences").after(retrySoon)
	errNoRoute     = newProblem(http.StatusNotFound, "no such route; see /openapi.json")
	errNoExecution = newProblem(http.StatusNotFound, "no such execution")
	errNoOutput    = newProblem(http.StatusNotFound, "the node does not keep the output of that execution any longer")
	errNodeGone    = newProblem(http.StatusServiceUnavailable, "the node of that execution does not answer").after(retryLimited)
	errNoNode      = newProblem(http.StatusNotFound, "no such node")
	errNoPeer      = newProblem(http.StatusNotFound, "no such peer is known here: no planner of it is cached, and no workflow or node names it")
	errNoWorkflow  = newProblem(http.StatusNotFound, "no such workflow")
	errUnreachable = newProblem(http.StatusServiceUnavailable, "NATS is out of reach").after(retrySoon)
	errUnsure      = newProblem(http.StatusServiceUnavailable, "NATS is out of reach; whether anything was written is unknown").after(retrySoon)
	errRetiring    = newProblem(http.StatusServiceUnavailable, "this replica drains: connect again to reach another").after(retrySoon)
)

// problemOf is the one place where errors become statuses. It is nil for an error nobody expected.
func problemOf(err error) *Problem {
	var (
		problem *Problem
		faults  fault.List
		large   *http.MaxBytesError
		routing *echo.HTTPError
		refused *ncl.RefusedError
		limit   *carry.LimitError
		upgrade *carry.HandshakeError
	)
	switch {
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &faults):
		return invalid(faults)
	case errors.As(err, &large):
		return newProblem(http.StatusRequestEntityTooLarge, "the body may have %d bytes at most", large.Limit)
	case errors.As(err, &limit):
		return newProblem(http.StatusTooManyRequests, "%v", limit).after(retryLimited)
	case errors.As(err, &upgrade):
		return newProblem(upgrade.Status, "%v", upgrade)
	case errors.Is(err, auth.ErrRefused), errors.Is(err, errRightEnded):
		return errWhoAsks
	case errors.Is(err, auth.ErrStarting):
		return errStarting
	case errors.Is(err, auth.ErrBusy):
		return errGuesses
	case errors.Is(err, auth.ErrIssuerAway):
		return errIssuerAway
	case errors.Is(err, carry.Draining):
		return errRetiring
	case errors.As(err, &routing) && routing.Code == http.StatusNotFound:
		return errNoRoute
	case errors.As(err, &routing): // echo's own: method not allowed
		return newProblem(routing.Code, "%v", routing.Message)
	case errors.Is(err, strictjson.ErrNotJSON):
		return newProblem(http.StatusBadRequest, "%v", err)
	case errors.Is(err, check.ErrUnknownWorkflow), errors.Is(err, check.ErrWorkflowGone):
		return errNoWorkflow
	case errors.Is(err, ui.ErrNoRun):
		return errNoRun
	case errors.Is(err, ui.ErrNoPeer):
		return errNoPeer
	case errors.Is(err, orchestrator.ErrUnknownNode):
		return errNoNode
	case errors.Is(err, orchestrator.ErrNotApproved), errors.Is(err, store.ErrExists):
		return newProblem(http.StatusConflict, "%v", err)
	case errors.Is(err, logstream.ErrNotFound):
		return errNoOutput
	case errors.Is(err, logstream.ErrNodeGone), errors.Is(err, logstream.ErrLost):
		return errNodeGone
	case errors.As(err, &refused):
		return newProblem(http.StatusServiceUnavailable, "the node refused: %s", refused.Reason).after(retryLimited)
	case errors.Is(err, store.ErrPrecondition):
		return newProblem(http.StatusPreconditionFailed, "what is stored is not what If-Match or If-None-Match asks for")
	case errors.Is(err, kv.ErrTooLarge):
		return newProblem(http.StatusRequestEntityTooLarge, "%v", err)
	case errors.Is(err, check.ErrNotLoaded):
		return errStarting
	case errors.Is(err, kv.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return errUnreachable
	case errors.Is(err, context.Canceled):
		return &Problem{Type: "about:blank", Title: "Client Closed Request", Status: statusClientGone}
	}
	return bookingProblem(err)
}

// ofWrite is the error of a write: one that NATS did not answer may have happened.
func ofWrite(err error) error {
	if errors.Is(err, kv.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		return errUnsure
	}
	return err
}

// answerError is echo's error handler: every error, also echo's own, is answered as a problem. What
// the error of a fault here says is for the log only.
func (s *Server) answerError(err error, c echo.Context) {
	problem := s.toldOf(err, c)
	if c.Response().Committed {
		return
	}
	if err := s.answerProblem(problem, c); err != nil {
		s.log.DebugContext(context.WithoutCancel(c.Request().Context()), "answer not written", "error", err, "request_id", requestIDOf(c))
	}
}

// answerProblem tells of a problem where who asks can hear it.
func (s *Server) answerProblem(p *Problem, c echo.Context) error {
	switch {
	case isPage(c.Request()):
		return s.answerPage(c, p)
	case hearsNoStatus(c.Request()):
		err := s.carry.Refuse(c.Response(), c.Request(), clientOf(c).name, subprotocol, p.ending())
		if _, crowded := errors.AsType[*carry.LimitError](err); !crowded {
			return err
		}
	}
	return p.write(c)
}

// answerPage tells people of a problem. Who is not known is asked who he is.
func (s *Server) answerPage(c echo.Context, p *Problem) error {
	if p.Status == http.StatusUnauthorized {
		return c.Redirect(http.StatusSeeOther, loginFor(c.Request()))
	}
	return s.site.Fail(c, p)
}

// toldOf is what the client of a request is told of an error; one that nobody expected is logged.
func (s *Server) toldOf(err error, c echo.Context) *Problem {
	if problem := problemOf(err); problem != nil {
		even(c, problem)
		return problem
	}
	s.log.ErrorContext(context.WithoutCancel(c.Request().Context()), "request failed", "error", err, "method", c.Request().Method,
		"route", c.Path(), "request_id", requestIDOf(c))
	return errInternal
}
