package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/fault"
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
	return s.carryOutput(ctx, c, o)
}

// carryOutput streams what there is, until it or the client ends.
func (s *Server) carryOutput(ctx context.Context, c echo.Context, o *output) error {
	carrier := carrierText
	if prefersEvents(c.Request()) {
		carrier = carrierEvents
	}
	closed := s.metrics.opened(carrier)
	out := &outputWriter{newEventWriter(c.Response(), s.cfg.WriteWithin), carrier}
	e := asEnding(s.guard(ctx, func() error {
		if err := out.start(); err != nil {
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
	asked := logstream.Request{ExecutionID: executionID}
	var faults fault.List
	var err error
	query := r.URL.Query()
	if text := query.Get("follow"); text != "" {
		if asked.Follow, err = strconv.ParseBool(text); err != nil {
			faults.Add(fault.Member(fault.Root, "follow"), "must be true or false")
		}
	}
	if text := query.Get("tail"); text != "" {
		if asked.Tail, err = strconv.Atoi(text); err != nil || asked.Tail < 1 {
			faults.Add(fault.Member(fault.Root, "tail"), "must be a whole number above zero")
		}
	}
	if text := r.Header.Get("Last-Event-ID"); text != "" {
		if asked.Offset, err = strconv.ParseUint(text, 10, 64); err != nil {
			faults.Add(fault.Member(fault.Root, "Last-Event-ID"), "must be the id of an event")
		}
	}
	return asked, faults.Err()
}
