package httpapi

import (
	"context"
	"math"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/streams/logstream"
)

// Outputs reads the output of executions from the nodes that have it.
type Outputs interface {
	// Open returns logstream.ErrNotFound, logstream.ErrNodeGone, an *ncl.RefusedError, or ctx's error.
	Open(ctx context.Context, nodeID string, r logstream.Request) (logstream.Reader, error)
}

// getLogs streams the output of an execution from its node, as plain text or as server-sent events.
func (s *Server) getLogs(c echo.Context) error {
	c.Response().Header().Add(echo.HeaderVary, "Accept")
	parts, executionID, err := s.addressed(c)
	if err != nil {
		return err
	}
	asked, err := askedOutput(c.Request(), executionID)
	if err == nil {
		err = s.origins.check(c.Request())
	}
	if err != nil {
		return err
	}
	e, err := s.execution(c, parts, executionID)
	if err != nil {
		return err
	}
	leave, err := s.admit(c)
	if err != nil {
		return err
	}
	defer leave()
	ctx, part := s.joined(c)
	defer part()

	changed, forget := s.executions.join(executionID) // before the first look
	defer forget()
	o := &output{parts: parts, who: subjectOf(c), request: asked, known: e, changed: changed}
	defer o.close()
	if err := o.open(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	asEvents := prefersEvents(c.Request())
	switch {
	case c.Request().Method == http.MethodHead:
		return headOutput(c, asEvents)
	case asEvents:
		c.Set(isStream, s.carry.Events(ctx, c.Response(), s.carry.Pump(ctx, o.event)))
	default:
		c.Set(isStream, s.carry.Text(ctx, c.Response(), s.carry.Pump(ctx, o.text)))
	}
	return nil
}

// headOutput tells how the output would come.
func headOutput(c echo.Context, asEvents bool) error {
	contentType := carry.TypeText
	if asEvents {
		contentType = carry.TypeEvents
	}
	c.Response().Header().Set(echo.HeaderContentType, contentType)
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.NoContent(http.StatusOK)
}

// askedOutput is what a request asks for: Last-Event-ID tells how far a client that comes again has
// come. The error is a fault.List.
func askedOutput(r *http.Request, executionID string) (logstream.Request, error) {
	q := readQuery(r, "follow", "tail")
	asked := logstream.Request{ExecutionID: executionID, Follow: q.flag("follow")}
	if text := q.get("tail"); text != "" {
		n, ok := wholeNumber(text)
		if !ok {
			q.fault("tail", "must be a whole number")
		}
		asked.Tail, asked.Fresh = int(min(max(n, 1), math.MaxInt32)), n == 0
	}
	if text := r.Header.Get(lastEventID); text != "" {
		var ok bool
		if asked.Offset, ok = wholeNumber(text); !ok {
			q.fault(lastEventID, "must be the id of an event")
		}
	}
	return asked, q.faults.Err()
}
