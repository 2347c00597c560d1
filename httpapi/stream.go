package httpapi

import (
	"context"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/store/booking"
	"oc-scheduler/streams/check"
)

// subprotocol names the messages of the check stream.
const subprotocol = "oc.check.v1"

// lastEventID is the header by which a client that comes again says what it had last.
const lastEventID = "Last-Event-ID"

// serveWebSocket opens a check stream and has it carried beyond the request (contract of the messages: the
// OpenAPI document). Whatever can be refused is refused before the upgrade, as a problem with a status.
func (s *Server) serveWebSocket(c echo.Context, parts *Parts, workflowID string) error {
	if err := carry.CheckOffer(c.Request(), subprotocol); err != nil {
		return err
	}
	o := carry.Opening{Protocol: subprotocol, RequestID: requestIDOf(c)}
	asked := c.Request().URL.RawQuery != ""
	if !asked {
		o.Silent = errNoRequest
	}
	stream, leave, err := s.begin(c, parts, workflowID, asked)
	if err != nil {
		return err
	}
	o.Leave = leave
	o.Bind = s.binding(c)
	return s.carry.WebSocket(c.Response(), c.Request(), carried{stream, paceOf(c)}, o)
}

// serveEvents opens a check stream and has it carried as server-sent events.
func (s *Server) serveEvents(c echo.Context, parts *Parts, workflowID string) error {
	stream, leave, err := s.begin(c, parts, workflowID, true)
	if err != nil {
		return err
	}
	defer leave()
	ctx, part := s.joined(c)
	defer part()
	c.Set(isStream, s.carry.Events(ctx, c.Response(), &resumed{carried{Stream: stream}, c.Request().Header.Get(lastEventID)}))
	return nil
}

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
		if err := parts.Checks.Resolve(subjectOf(c), workflowID, request); err != nil {
			return nil, nil, err
		}
	}
	if leave, err = s.admit(c); err != nil {
		return nil, nil, err
	}
	if stream, err = parts.Checks.Open(subjectOf(c), workflowID); err != nil {
		leave()
		return nil, nil, err
	}
	if asked {
		stream.Submit(request)
	}
	return stream, leave, nil
}

// joined is the context of a stream that one answer carries: it ends with the request, the right, and a drain.
func (s *Server) joined(c echo.Context) (ctx context.Context, part func()) {
	ctx, unbind := s.bound(c)
	ctx, leave := s.carry.Join(ctx)
	return ctx, func() {
		leave()
		unbind()
	}
}

// admit counts a client's stream in, whatever carries it; leave, to be called once, counts it out.
func (s *Server) admit(c echo.Context) (leave func(), err error) {
	if leave, err = s.carry.Admit(c.RealIP()); err == nil {
		c.Set(isStream, true)
	}
	return leave, err
}
