package httpapi

import (
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/booking"
	"oc-scheduler/streams/check"
)

// The carriers of check streams, as the metrics name them; output has carrierEvents and carrierText.
const (
	carrierWebSocket = "websocket"
	carrierEvents    = "sse"
	carrierWait      = "wait"
)

// begin opens a check stream for a client after every check that refuses one: its origin, a faulty
// request in the query, an unknown workflow, the limits, a drain. Where asked says so, the query's
// request has been submitted. leave, to be called once, counts the stream out again.
func (s *Server) begin(c echo.Context, parts *Parts, workflowID string, asked bool) (stream *check.Stream, leave func(), err error) {
	if err := s.origins.check(c.Request()); err != nil {
		return nil, nil, err
	}
	var request booking.Request
	if asked {
		if request, err = queried(c); err != nil {
			return nil, nil, err
		}
	}
	if err := s.checkable(c, parts, workflowID); err != nil {
		return nil, nil, err
	}
	if asked {
		if err := parts.Checks.Resolve(workflowID, request); err != nil {
			return nil, nil, err
		}
	}
	if leave, err = s.admit(c); err != nil {
		return nil, nil, err
	}
	if stream, err = parts.Checks.Open(workflowID); err != nil {
		leave()
		return nil, nil, err
	}
	if asked {
		stream.Submit(request)
	}
	return stream, leave, nil
}

// admit counts a client's stream in, whatever carries it; leave, to be called once, counts it out.
// The error is a *Problem: 503 while draining, 429 above a limit.
func (s *Server) admit(c echo.Context) (leave func(), err error) {
	leaveLimits, err := s.limits.enter(c.RealIP())
	if err != nil {
		return nil, err
	}
	if !s.live.enter() {
		leaveLimits()
		return nil, errRetiring
	}
	c.Set(isStream, true)
	return func() {
		leaveLimits()
		s.live.leave()
	}, nil
}

// opened counts a stream in; the function returned counts it out under the way it ended.
func (m *metrics) opened(carrier string) (closed func(*ending)) {
	m.open.WithLabelValues(carrier).Inc()
	return func(e *ending) {
		m.open.WithLabelValues(carrier).Dec()
		m.closed.WithLabelValues(carrier, e.String()).Inc()
	}
}

// wrote notes a frame that a client has taken.
func (m *metrics) wrote(carrier string, frame check.Frame) {
	if frame.Kind != check.Result {
		return
	}
	m.sent.WithLabelValues(carrier).Inc()
	if !frame.Stored.IsZero() {
		m.latency.Observe(time.Since(frame.Stored).Seconds())
	}
}
