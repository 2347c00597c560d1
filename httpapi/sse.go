package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/streams/check"
)

// serveEvents serves a check stream as server-sent events (WHATWG HTML, section 9.2). The goroutine
// of the request does all of it; net/http cancels the request's context when the client leaves.
func (s *Server) serveEvents(c echo.Context, parts *Parts, workflowID string) error {
	stream, leave, err := s.begin(c, parts, workflowID, true)
	if err != nil {
		return err
	}
	defer leave()
	defer stream.Close()
	closed := s.metrics.opened(carrierEvents)
	ctx, part := s.live.join(c.Request().Context())
	defer part()
	out := newEventWriter(c.Response(), s.cfg.WriteWithin)

	e := asEnding(s.guard(ctx, func() error { return s.events(ctx, out, stream, c.Request().Header.Get("Last-Event-ID")) }))
	closed(e)
	c.Set(isStream, e)
	return nil
}

// events writes what the stream has, and comments between, until it or the client ends; the error is
// the *ending. A result of the version the client had last is left out.
func (s *Server) events(ctx context.Context, out *eventWriter, stream *check.Stream, last string) error {
	if err := out.begin(typeEvents); err != nil {
		return endingOfWrite(err)
	}
	for quiet := time.Now().Add(s.cfg.CommentEvery); ; {
		frame, err := next(ctx, stream, quiet)
		switch {
		case err == nil && frame.Kind == check.Result && frame.Version == last:
		case err == nil:
			if err = out.event(frame); err == nil {
				s.metrics.wrote(carrierEvents, frame)
			}
		case ctx.Err() != nil:
			return endingOf(ctx)
		case !errors.Is(err, context.DeadlineExceeded):
			return asEnding(err)
		default:
			err = nil
		}
		if err == nil && !time.Now().Before(quiet) {
			quiet = time.Now().Add(s.cfg.CommentEvery)
			err = out.write([]byte(":\n\n"))
		}
		if err != nil {
			return endingOfWrite(err)
		}
		last = ""
	}
}

// next is the stream's next frame, or context.DeadlineExceeded at the time until.
func next(ctx context.Context, stream *check.Stream, until time.Time) (check.Frame, error) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	return stream.Next(ctx)
}

// typeEvents is the media type of server-sent events.
const typeEvents = "text/event-stream"

// eventWriter writes events, each within a time of its own: the server's WriteTimeout, which is for
// whole answers, does not apply.
type eventWriter struct {
	*http.ResponseController
	response http.ResponseWriter
	within   time.Duration
	buffer   bytes.Buffer
}

func newEventWriter(w *echo.Response, within time.Duration) *eventWriter {
	// Echo's own Flush swallows errors, and a client that is cut would look like one that left.
	return &eventWriter{ResponseController: http.NewResponseController(w.Writer), response: w, within: within}
}

func (w *eventWriter) begin(contentType string) error {
	h := w.response.Header()
	h.Set(echo.HeaderContentType, contentType)
	h.Set(echo.HeaderCacheControl, "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would collect events
	if err := w.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	w.response.WriteHeader(http.StatusOK)
	return w.write(nil)
}

func (w *eventWriter) event(frame check.Frame) error {
	if frame.Kind == check.Result {
		return w.named("result", frame.Version, frame.JSON)
	}
	return w.named("error", "", frame.JSON)
}

// named writes an event. The document is one line: encoders write no white space.
func (w *eventWriter) named(name, id string, doc []byte) error {
	w.buffer.Reset()
	w.buffer.WriteString("event: " + name)
	if id != "" {
		w.buffer.WriteString("\nid: " + id)
	}
	w.buffer.WriteString("\ndata: ")
	w.buffer.Write(doc)
	w.buffer.WriteString("\n\n")
	return w.write(w.buffer.Bytes())
}

func (w *eventWriter) write(p []byte) error {
	if err := w.SetWriteDeadline(time.Now().Add(w.within)); err != nil {
		return err
	}
	if _, err := w.response.Write(p); err != nil {
		return err
	}
	return w.Flush()
}
