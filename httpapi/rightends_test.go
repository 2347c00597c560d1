package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/tokens"
)

// bearing dials with a token.
func bearing(bearer string) *websocket.DialOptions {
	return &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {bearer}}}
}

// streaming is a guarded site at which the bearer of a token has one stream of each kind; over waits until each
// was told that its right has ended.
func streaming(t *testing.T, d tokens.Draft) (s *site, tokenID string, over func()) {
	t.Helper()
	s = newSite(t, guarded())
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", s.as(t, access.User)).ok(t, http.StatusCreated)
	s.node(t).output(t, "x")
	s.begun(t, "x", execution.Running)
	tokenID, bearer := s.token(t, d)
	asking := s.dial(t, "/oc/w/check"+inDecember, bearing(bearer))
	receive(t, asking)
	silent := s.dial(t, "/oc/w/check", bearing(bearer)) // it has not asked yet
	results := s.listen(t, "/oc/w/check"+inDecember, "Authorization", bearer)
	results.must(t)
	output := s.listen(t, "/executions/x/logs?follow=true", "Authorization", bearer)
	waited := make(chan answer, 1)
	go func() { waited <- s.do(t, http.MethodPost, "/oc/w/check?wait=15s", asked, "Authorization", bearer) }()
	s.counts(t, "oc_scheduler_streams_open", `
# HELP oc_scheduler_streams_open Streams open now, of answers and of output.
# TYPE oc_scheduler_streams_open gauge
oc_scheduler_streams_open{carrier="sse"} 2
oc_scheduler_streams_open{carrier="wait"} 1
oc_scheduler_streams_open{carrier="websocket"} 2
`)
	return s, tokenID, func() {
		t.Helper()
		closes(t, asking, 4401)
		closes(t, silent, 4401)
		results.dismissed(t)
		output.dismissed(t)
		(<-waited).problem(t, http.StatusUnauthorized)
	}
}

// closes holds a WebSocket to be closed with a code.
func closes(t *testing.T, conn *websocket.Conn, code websocket.StatusCode) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, message, err := conn.Read(ctx); websocket.CloseStatus(err) != code {
		t.Errorf("read %q, %v; want close code %d", message, err, code)
	}
}

// dismissed holds events to end, the last one being that the right has ended.
func (e *events) dismissed(t *testing.T) {
	t.Helper()
	last := e.must(t)
	var doc struct{ Status int }
	if err := json.Unmarshal([]byte(last.data), &doc); err != nil || last.name != "error" || doc.Status != http.StatusUnauthorized {
		t.Errorf("the last event is %+v", last)
	}
	if v, err := e.next(); err == nil {
		t.Errorf("after the last event comes %+v", v)
	}
}

// TestStreamsEndWhenTheirTokenIsRevoked, and no others.
func TestStreamsEndWhenTheirTokenIsRevoked(t *testing.T) {
	t.Parallel()
	s, tokenID, over := streaming(t, tokens.Draft{Role: access.Operator})
	other := s.dial(t, "/oc/w/check"+inDecember, bearing(s.as(t, access.Operator)))
	receive(t, other)
	s.do(t, http.MethodDelete, "/tokens/"+tokenID, "", "Authorization", s.as(t, access.Admin)).ok(t, http.StatusNoContent)
	over()
	s.plan(t, "peer-a", 8)
	receive(t, other)
}

// TestAStreamEndsWithItsToken also while NATS is away, which then tells of no end.
func TestAStreamEndsWithItsToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", s.as(t, access.User)).ok(t, http.StatusCreated)
	var conn *websocket.Conn
	for err := errors.New("not yet"); err != nil; { // a slow machine may come too late
		_, bearer := s.token(t, tokens.Draft{Role: access.Viewer, TTL: 2 * time.Second})
		conn, err = s.connect(t.Context(), "/oc/w/check", bearing(bearer))
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	s.nats.Stop()
	closes(t, conn, 4401)
}
