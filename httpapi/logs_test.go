package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/carry"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/logstream"
)

// node is one that has output.
type node struct {
	*logstream.Files
	readers  atomic.Int64 // that are open
	listener *logstream.Listener
}

// node starts node n.
func (s *site) node(t *testing.T) *node {
	t.Helper()
	return s.nodeCalled(t, "n")
}

func (s *site) nodeCalled(t *testing.T, nodeID string) *node {
	t.Helper()
	files, err := logstream.NewFiles(t.TempDir(), logstream.FilesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	n := &node{Files: files}
	n.listener, err = logstream.NewListener(logstream.ListenerConfig{Conn: s.nats.Connect(t), NodeID: nodeID, Server: n})
	if err == nil {
		err = n.listener.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.stop(t) })
	return n
}

func (n *node) stop(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	if err := n.listener.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// OpenLog counts.
func (n *node) OpenLog(ctx context.Context, r logstream.Request) (logstream.Reader, error) {
	reader, err := n.Files.OpenLog(ctx, r)
	if err != nil {
		return nil, err
	}
	n.readers.Add(1)
	return &counted{reader, n}, nil
}

type counted struct {
	logstream.Reader
	n *node
}

func (c *counted) Close() error {
	c.n.readers.Add(-1)
	return c.Reader.Close()
}

// output begins the output of an execution.
func (n *node) output(t *testing.T, executionID string) *logstream.Output {
	t.Helper()
	out, err := n.Create(executionID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	return out
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// follow opens a text stream.
func (s *site) follow(t *testing.T, path string) (body io.Reader, leave func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/plain; charset=UTF-8" {
		t.Fatalf("answer is %d %v", response.StatusCode, response.Header)
	}
	return response.Body, cancel
}

func expect(t *testing.T, r io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Fatalf("read %q, %v; want %q", got[:n], err, want)
	}
}

func TestOutputThatHasEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	n := s.node(t)
	out := n.output(t, "x")
	write(t, out.Stdout(), "one\ntwo\n")
	write(t, out.Stderr(), "oops\n")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	s.begun(t, "x", execution.Completed)
	for query, want := range map[string]string{"": "one\ntwo\noops\n", "?follow=true": "one\ntwo\noops\n", "?tail=2": "two\noops\n", "?tail=1&follow=1": "oops\n", "?tail=0": "", "?tail=0&follow=true": "", "?tail=99999999999": "one\ntwo\noops\n", "?follow=&tail=": "one\ntwo\noops\n"} {
		if a := s.do(t, http.MethodGet, "/executions/x/logs"+query, "").ok(t, http.StatusOK); string(a.body) != want {
			t.Errorf("%s: %q", query, a.body)
		}
	}
	for _, query := range []string{"?follow=maybe", "?tail=-1", "?tail=x", "?tail=%2B1", "?tail=010", "?tail=0x1", "?tail=1_0", "?tail=1&tail=2", "?tial=1", "?tail=%zz"} {
		s.do(t, http.MethodGet, "/executions/x/logs"+query, "").problem(t, http.StatusUnprocessableEntity)
	}
	s.do(t, http.MethodGet, "/executions/x/logs", "", "Last-Event-ID", "x").problem(t, http.StatusUnprocessableEntity)

	es := s.listen(t, "/executions/x/logs")
	var text, last string
	for {
		e := es.must(t)
		if e.name == "end" {
			if v := decode(t, []byte(e.data)); v["state"] != "completed" || v["exit_code"] != 0.0 {
				t.Errorf("end: %s", e.data)
			}
			break
		}
		var c logstream.Chunk
		if err := json.Unmarshal([]byte(e.data), &c); err != nil || e.name != "output" {
			t.Fatalf("%+v: %v", e, err)
		}
		if last == "" {
			last = e.id
		}
		text += string(c.Source) + ":" + string(c.Data)
	}
	if text != "stdout:one\ntwo\nstderr:oops\n" || last != "8" {
		t.Errorf("%q, first id %s", text, last)
	}
	if e := s.listen(t, "/executions/x/logs", "Last-Event-ID", last).must(t); !strings.Contains(e.data, `"b29wcwo="`) {
		t.Errorf("after %s: %+v", last, e)
	}
}

// TestFollowFromNowOn: a tail of 0 is only what comes, all of it where nothing has begun.
func TestFollowFromNowOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	n := s.node(t)
	s.begun(t, "x", execution.Ordered)
	early, _ := s.follow(t, "/executions/x/logs?follow=true&tail=0")
	s.becomes(t, "x", execution.Queued)
	out := n.output(t, "x")
	write(t, out.Stdout(), "one\n")
	s.becomes(t, "x", execution.Starting)
	expect(t, early, "one\n")
	late, _ := s.follow(t, "/executions/x/logs?follow=true&tail=0")
	write(t, out.Stdout(), "two\n")
	expect(t, early, "two\n")
	expect(t, late, "two\n")
}

func TestFollowFromBeforeTheStart(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{WriteTimeout: 300 * time.Millisecond, ReadTimeout: 300 * time.Millisecond})
	n := s.node(t)
	s.begun(t, "x", execution.Ordered)
	if a := s.do(t, http.MethodGet, "/executions/x/logs", "").ok(t, http.StatusOK); len(a.body) != 0 {
		t.Errorf("output before the start: %q", a.body)
	}
	body, _ := s.follow(t, "/executions/x/logs?follow=true")
	events := s.listen(t, "/executions/x/logs?follow=true")
	s.becomes(t, "x", execution.Queued)
	s.becomes(t, "x", execution.Starting)
	out := n.output(t, "x")
	for _, line := range []string{"one\n", "two\n", "three\n"} {
		<-time.After(200 * time.Millisecond) // beyond the timeouts of whole answers
		write(t, out.Stdout(), line)
		expect(t, body, line)
		events.must(t)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	s.becomes(t, "x", execution.Completed)
	if rest, err := io.ReadAll(body); err != nil || len(rest) > 0 {
		t.Errorf("the end: %q, %v", rest, err)
	}
	if e := events.must(t); e.name != "end" || !strings.Contains(e.data, `"completed"`) {
		t.Errorf("the end: %+v", e)
	}
}

func TestOutputThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.begun(t, "gone", execution.Completed)
	hasty := s.parts
	hasty.Outputs = logstream.Client{Conn: s.conn, AnswerWithin: 50 * time.Millisecond}
	s.Attach(hasty)
	s.do(t, http.MethodGet, "/executions/gone/logs", "").problem(t, http.StatusServiceUnavailable) // no node answers
	s.Attach(s.parts)
	s.node(t)
	s.do(t, http.MethodGet, "/executions/gone/logs", "").problem(t, http.StatusNotFound)
	if _, err := s.store.Executions.Create(t.Context(), execution.Execution{ExecutionID: "never", NodeID: "n", State: execution.Failed}); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it is known", func() bool { _, ok := s.store.Executions.View().Get("never"); return ok })
	if a := s.do(t, http.MethodGet, "/executions/never/logs?follow=true", "").ok(t, http.StatusOK); len(a.body) != 0 {
		t.Errorf("output of what never ran: %q", a.body)
	}
}

// TestAReaderThatLeaves has the node stop at once, whichever way it leaves.
func TestAReaderThatLeaves(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	n := s.node(t)
	write(t, n.output(t, "x").Stdout(), "one\n")
	s.begun(t, "x", execution.Running)
	body, leave := s.follow(t, "/executions/x/logs?follow=true")
	expect(t, body, "one\n")
	s.listen(t, "/executions/x/logs?follow=true").must(t)
	if open := n.readers.Load(); open != 2 {
		t.Errorf("%d readers", open)
	}
	left := time.Now()
	leave()
	natstest.Eventually(t, "one reader is left", func() bool { return n.readers.Load() == 1 })
	if took := time.Since(left); took > 10*time.Second {
		t.Errorf("the node produced for %v more", took)
	}
}

// TestASlowReader is cut, and costs its node no more than what it was allowed to send.
func TestASlowReader(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{Streams: carry.Config{WriteWithin: 300 * time.Millisecond}})
	n := s.node(t)
	out := n.output(t, "x")
	for range 100 {
		if _, err := out.Stdout().Write(bytes.Repeat([]byte("x"), 200_000)); err != nil {
			t.Fatal(err)
		}
	}
	s.begun(t, "x", execution.Running)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/executions/x/logs?follow=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	s.counts(t, "oc_scheduler_streams_closed_total", `
# HELP oc_scheduler_streams_closed_total Streams that ended, by close code, or slow and no_pong for clients cut without one.
# TYPE oc_scheduler_streams_closed_total counter
oc_scheduler_streams_closed_total{carrier="text",code="slow"} 1
`)
	natstest.Eventually(t, "the node has stopped", func() bool { return n.readers.Load() == 0 })
}

func TestOutputWhileDraining(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{Streams: carry.Config{MaxStreams: 2}})
	n := s.node(t)
	out := n.output(t, "x")
	write(t, out.Stdout(), "one\n")
	s.begun(t, "x", execution.Running)
	body, _ := s.follow(t, "/executions/x/logs?follow=true")
	expect(t, body, "one\n")
	events := s.listen(t, "/executions/x/logs?follow=true")
	events.must(t)
	if a := s.do(t, http.MethodGet, "/executions/x/logs", ""); a.problem(t, http.StatusTooManyRequests) == nil || a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(body); err == nil {
		t.Error("text that breaks off looks like the end")
	}
	if e, err := events.next(); !errors.Is(err, io.EOF) {
		t.Errorf("an event stream ends with %+v, %v", e, err)
	}
	natstest.Eventually(t, "the node has stopped", func() bool { return n.readers.Load() == 0 })
	s.do(t, http.MethodGet, "/executions/x/logs", "").problem(t, http.StatusServiceUnavailable)
}

// TestTheNodeOfAStreamIsGone is told to who follows.
func TestTheNodeOfAStreamIsGone(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.parts.Outputs = logstream.Client{Conn: s.conn, Silence: 2 * time.Second, NodeGone: 3 * time.Second, Outage: 3 * time.Second}
	s.Attach(s.parts)
	n := s.node(t)
	out := n.output(t, "x")
	write(t, out.Stdout(), "one\n")
	s.begun(t, "x", execution.Running)
	body, _ := s.follow(t, "/executions/x/logs?follow=true")
	expect(t, body, "one\n")
	events := s.listen(t, "/executions/x/logs?follow=true")
	events.must(t)
	n.stop(t)
	if _, err := io.ReadAll(body); err == nil {
		t.Error("text that breaks off looks like the end")
	}
	if e := events.must(t); e.name != "error" || !strings.Contains(e.data, `"status":503`) {
		t.Errorf("%+v", e)
	}
}
