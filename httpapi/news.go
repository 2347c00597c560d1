package httpapi

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/logstream"
)

// newsProtocol names the messages of a page's own WebSocket. The page sends objects: one with "output", an
// execution, and "offset", the bytes of its output that the page has, is about that output from then on; any other
// asks for a sign of life. It is told objects with a type: "live", that sign; "changed", what it shows did;
// "output", "end" and "error", of the execution that it asked about last.
const newsProtocol = "oc.page.v1"

var errNoNews = &carry.Ending{Code: statusUnreadable, Reason: "the message is not one of " + newsProtocol}

// runNews tells the page of a run when that has changed, and what its executions say.
func (s *Server) runNews(c echo.Context, runID string) error {
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	return s.serveNews(c, &s.runs, runID, outputsOf{s, parts, subjectOf(c), runID}.follow)
}

// scheduleNews tells the page of a schedule when that has changed.
func (s *Server) scheduleNews(c echo.Context, scheduleID string) error {
	return s.serveNews(c, &s.schedules, scheduleID, nil)
}

// serveNews opens a page's WebSocket. follow is what is told of an execution; nil: nothing is.
func (s *Server) serveNews(c echo.Context, of *changes, id string, follow func(context.Context, asked) carry.Source) error {
	if err := s.origins.check(c.Request()); err != nil {
		return err
	}
	if err := carry.CheckOffer(c.Request(), newsProtocol); err != nil {
		return err
	}
	leave, err := s.admit(c)
	if err != nil {
		return err
	}
	ctx := context.WithoutCancel(c.Request().Context()) // what waits ends with the source
	changed, forget := of.join(id)
	n := &news{follow: func(a asked) carry.Source { return follow(ctx, a) }, asked: true}
	if follow == nil {
		n.follow = nil
	}
	n.changed = ended{s.carry.Pump(ctx, func(ctx context.Context) (carry.Frame, error) { return awaited(ctx, changed) }), forget}
	return s.carry.WebSocket(c.Response(), c.Request(), n, carry.Opening{
		Protocol: newsProtocol, RequestID: requestIDOf(c), Leave: leave, Bind: s.binding(c),
	})
}

// awaited is the frame after a change.
func awaited(ctx context.Context, changed <-chan struct{}) (carry.Frame, error) {
	select {
	case <-changed:
		return carry.Frame{Data: []byte(`{"type":"changed"}`)}, nil
	case <-ctx.Done():
		return carry.Frame{}, ctx.Err()
	}
}

// ended is a source with something to be done when it is over.
type ended struct {
	carry.Source
	then func()
}

// Close implements carry.Source.
func (e ended) Close() {
	e.Source.Close()
	e.then()
}

// outputsOf are those of the executions of a run, to somebody.
type outputsOf struct {
	*Server
	parts *Parts
	who   *access.Subject
	runID string
}

// follow tells of the output of an execution from an offset on.
func (f outputsOf) follow(ctx context.Context, a asked) carry.Source {
	changed, forget := f.executions.join(a.Output) // before the first look
	o := &output{
		parts: f.parts, who: f.who, changed: changed,
		request: logstream.Request{ExecutionID: a.Output, Offset: a.Offset, Follow: true},
	}
	opened := false
	return ended{f.carry.Pump(ctx, func(ctx context.Context) (carry.Frame, error) {
		if !opened {
			opened = true
			if err := f.open(ctx, o); err != nil && ctx.Err() == nil {
				o.over = carry.Done
				return told(a.Output, eventError, cmp.Or(problemOf(err), errInternal))
			}
		}
		e, err := o.event(ctx)
		if err != nil {
			return e, err
		}
		return told(a.Output, e.Event, json.RawMessage(e.Data))
	}), func() {
		forget()
		o.close()
	}}
}

// open begins to read what an execution says, if it is there for who asks.
func (f outputsOf) open(ctx context.Context, o *output) (err error) {
	if o.known, err = f.execution(ctx, o.request.ExecutionID); err != nil {
		return err
	}
	return o.open(ctx)
}

// execution is one of the run's.
func (f outputsOf) execution(ctx context.Context, executionID string) (execution.Execution, error) {
	if access.Decide(f.who, access.Write) != access.Allowed {
		return execution.Execution{}, errNoExecution
	}
	entry, known := f.parts.Executions.Get(executionID)
	e := entry.Value
	if !known {
		var err error
		if e, err = f.parts.StoredExecutions.Get(ctx, executionID); err != nil {
			return e, errNoExecution
		}
	}
	if e.RunID != f.runID {
		return e, errNoExecution
	}
	return e, nil
}

// told is what a page is told of an execution.
func told(executionID, kind string, event any) (carry.Frame, error) {
	text, err := json.Marshal(struct {
		Type        string `json:"type"`
		ExecutionID string `json:"execution_id"`
		Event       any    `json:"event"`
	}{kind, executionID, event})
	return carry.Frame{Data: text}, err
}
