package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/timetext"
	"oc-scheduler/streams/check"
)

// carrierWait is one answer that carries a stream, as the metrics name it.
const carrierWait = "wait"

// waitParameter makes a single answer wait for planners that are missing.
const waitParameter = "wait"

// waiting is the ?wait= of a request, cut to what is allowed; zero where there is none.
func (s *Server) waiting(q *query) time.Duration {
	text := q.get(waitParameter)
	if text == "" {
		return 0
	}
	wait, err := timetext.Duration(text)
	if err != nil || wait < 0 {
		q.fault(waitParameter, "must be a duration like 5s")
	}
	return min(wait, s.cfg.MaxWait)
}

// ask answers one request: from what is cached, or, while it may wait, as a stream that ends with the first
// result without missing planners. Then it does something for which the planners shall stay, unless that is nil.
func (s *Server) ask(c echo.Context, parts *Parts, workflowID string, request booking.Request, wait time.Duration, then func()) (check.Frame, error) {
	if err := s.checkable(c, parts, workflowID); err != nil {
		return check.Frame{}, err
	}
	defer parts.tellAge(c)
	if wait == 0 {
		return parts.Checks.Once(subjectOf(c), workflowID, request)
	}
	return s.await(c, parts.Checks, workflowID, request, wait, then)
}

// await is a stream that ends with its first complete result, carried by one answer.
func (s *Server) await(c echo.Context, checks *check.Service, workflowID string, request booking.Request, wait time.Duration, then func()) (check.Frame, error) {
	leave, err := s.admit(c)
	if err != nil {
		return check.Frame{}, err
	}
	defer leave()
	out := http.NewResponseController(c.Response())
	if err := out.SetWriteDeadline(time.Now().Add(wait + s.cfg.WriteTimeout)); err != nil {
		return check.Frame{}, err
	}
	if err := out.SetReadDeadline(time.Time{}); err != nil { // it would end the request's context
		return check.Frame{}, err
	}
	ctx, part := s.joined(c)
	defer part()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	closed := s.carry.Opened(carrierWait)
	defer closed(carry.Done)
	frame, err := checks.Wait(ctx, subjectOf(c), workflowID, request, then)
	if errors.Is(context.Cause(ctx), errRightEnded) {
		err = errRightEnded
	}
	return frame, err
}
