package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/streams/logstream"
)

// Outputs reads the output of executions from the nodes that have it.
type Outputs interface {
	// Open returns logstream.ErrNotFound, logstream.ErrNodeGone, an *ncl.RefusedError, or ctx's error.
	Open(ctx context.Context, nodeID string, r logstream.Request) (logstream.Reader, error)
}

// carrierText is plain text, as the metrics name it.
const carrierText = "text"

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
	ctx, part := s.live.join(c.Request().Context())
	defer part()

	changed, forget := s.executions.join(executionID) // before the first look
	defer forget()
	o := &output{parts: parts, request: asked, known: e, changed: changed}
	defer o.close()
	if err := o.open(ctx); err != nil {
		if errors.Is(context.Cause(ctx), errDraining) {
			return errRetiring
		}
		return err
	}
	if c.Request().Method == http.MethodHead {
		return headOutput(c)
	}
	return s.carryOutput(ctx, c, o)
}

// outputType is the media type of output, and the carrier's name.
func outputType(r *http.Request) (contentType, carrier string) {
	if prefersEvents(r) {
		return typeEvents, carrierEvents
	}
	return echo.MIMETextPlainCharsetUTF8, carrierText
}

// headOutput tells how the output would come.
func headOutput(c echo.Context) error {
	contentType, _ := outputType(c.Request())
	c.Response().Header().Set(echo.HeaderContentType, contentType)
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.NoContent(http.StatusOK)
}

// carryOutput streams what there is, until it or the client ends.
func (s *Server) carryOutput(ctx context.Context, c echo.Context, o *output) error {
	contentType, carrier := outputType(c.Request())
	closed := s.metrics.opened(carrier)
	out := &outputWriter{newEventWriter(c.Response(), s.cfg.WriteWithin), carrier}
	e := asEnding(s.guard(ctx, func() error {
		if err := out.begin(contentType); err != nil {
			return endingOfWrite(err)
		}
		return o.copy(ctx, out, s.cfg.CommentEvery)
	}))
	closed(e)
	c.Set(isStream, e)
	if e != errDone && carrier == carrierText {
		panic(http.ErrAbortHandler) // the one way to tell a client that this is not the end
	}
	return nil
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
	if text := r.Header.Get("Last-Event-ID"); text != "" {
		var ok bool
		if asked.Offset, ok = wholeNumber(text); !ok {
			q.fault("Last-Event-ID", "must be the id of an event")
		}
	}
	return asked, q.faults.Err()
}
