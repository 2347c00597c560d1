package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/httpapi/ui"
	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/logstream"
)

// newsProtocol names the messages of a page's own WebSocket. The page sends objects: one with "query" looks at the same
// page with another query from then on; one with "output", an execution, and "offset", the bytes of its output that the
// page has, is about that output from then on; any other asks for a sign of life. It is told objects with a type:
// "live", that sign; "view" with "html", what it shows now; "stale" with "why", that it can't be said now what it shows;
// "refused" with "why", that the query was not taken; "output", "end" and "error", of the execution that it asked about
// last.
const newsProtocol = "oc.page.v1"

var (
	errNoNews      = &carry.Ending{Code: statusUnreadable, Reason: "the message is not one of " + newsProtocol}
	errNotFollowed = newProblem(http.StatusNotFound, "this page does not change by itself")
)

// livePage opens the WebSocket of an open page. What can't be looked at is refused before the upgrade.
func (s *Server) livePage(c echo.Context, look func(echo.Context) (ui.View, error)) error {
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
	sights := s.sightsOf(c, look)
	n := &news{at: sights.at, pace: s.paceOf(c), asked: true}
	if n.view, err = sights.at(c.Request().URL.RawQuery); err != nil {
		leave()
		return err
	}
	if runID := n.view.Model().(*sight).run; runID != "" {
		parts, _ := s.loaded()
		ctx := context.WithoutCancel(c.Request().Context()) // what waits ends with the source
		follow := outputsOf{s, parts, subjectOf(c), runID}.follow
		n.follow = func(a asked) carry.Source { return follow(ctx, a) }
	}
	return s.carry.WebSocket(c.Response(), c.Request(), n, carry.Opening{
		Protocol: newsProtocol, RequestID: requestIDOf(c), Leave: leave, Bind: s.binding(c),
	})
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
