package httpapi

import (
	"cmp"
	"context"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
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
	w, err := wished(c.Request(), true)
	stream, leave, err := s.begin(c, parts, workflowID, w, err)
	if err != nil {
		return err
	}
	o := carry.Opening{Protocol: subprotocol, RequestID: requestIDOf(c), Leave: leave, Bind: s.binding(c)}
	if !w.asked {
		o.Silent = errNoRequest
	}
	return s.carry.WebSocket(c.Response(), c.Request(), w.paced(carried{stream, s.paceOf(c)}), o)
}

// paced is a conversation at the rate that was wished for.
func (w wish) paced(s carry.Conversation) carry.Conversation {
	if w.every == 0 {
		return s
	}
	return carry.Paced(s, w.every)
}

// serveEvents opens a check stream and has it carried as server-sent events.
func (s *Server) serveEvents(c echo.Context, parts *Parts, workflowID string) error {
	w, err := wished(c.Request(), false)
	stream, leave, err := s.begin(c, parts, workflowID, w, err)
	if err != nil {
		return err
	}
	defer leave()
	ctx, part := s.joined(c)
	defer part()
	told := w.paced(&resumed{carried{Stream: stream}, c.Request().Header.Get(lastEventID)})
	c.Set(isStream, s.carry.Events(ctx, c.Response(), told))
	return nil
}

// begin opens a check stream for a client after every check that refuses one: its origin, a faulty query (err), an
// unknown workflow, the limits, a drain. What the query asks has been submitted. leave, to be called once, counts the
// stream out again.
func (s *Server) begin(c echo.Context, parts *Parts, workflowID string, w wish, err error) (stream *check.Stream, leave func(), _ error) {
	if foreign := s.origins.check(c.Request()); foreign != nil || err != nil {
		return nil, nil, cmp.Or(foreign, err)
	}
	if err := s.checkable(c, parts, workflowID); err != nil {
		return nil, nil, err
	}
	if w.asked {
		if err := parts.Checks.Resolve(subjectOf(c), workflowID, w.request); err != nil {
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
	if w.asked {
		stream.Submit(w.request)
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
	if leave, err = s.carry.Admit(clientOf(c).name); err == nil {
		c.Set(isStream, true)
	}
	return leave, err
}
