package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/carry"
)

// events is an open event stream.
type events struct {
	path  string
	body  io.ReadCloser
	lines *bufio.Reader
}

// event is one of its parts; a comment has no name.
type event struct{ name, id, data string }

func (s *site) listen(t *testing.T, path string, header ...string) *events {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("answer is %d %v", response.StatusCode, response.Header)
	}
	return &events{path, response.Body, bufio.NewReader(response.Body)}
}

// next reads the next event or comment; an error is the end of the stream.
func (e *events) next() (v event, err error) {
	for {
		line, err := e.lines.ReadString('\n')
		if err != nil {
			return v, err
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			return v, nil
		case field == "event":
			v.name = value
		case field == "id":
			v.id = value
		case field == "data":
			v.data = value
		}
	}
}

func (e *events) must(t *testing.T) event {
	t.Helper()
	v, err := e.next()
	if err != nil {
		t.Fatal(err)
	}
	if v.name != "" {
		told(t, "http", e.path, v.name, []byte(v.data))
	}
	return v
}

func TestEventStream(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	es := s.listen(t, "/oc/w/check"+inDecember)
	first := es.must(t)
	if r := decode(t, []byte(first.data)); first.name != "result" || first.id == "" || r["version"] != first.id || r["status"] != "unknown" {
		t.Fatalf("first event is %+v", first)
	}
	s.plan(t, "peer-a", 64)
	second := es.must(t)
	if r := decode(t, []byte(second.data)); r["status"] != "available" {
		t.Errorf("second event is %+v", second)
	}
	s.do(t, http.MethodDelete, "/oc/w", "").ok(t, http.StatusNoContent)
	if last := es.must(t); last.name != "error" || last.id != "" || decode(t, []byte(last.data))["status"] != 404.0 {
		t.Errorf("of a removed workflow: %+v", last)
	}
	if _, err := es.next(); !errors.Is(err, io.EOF) {
		t.Errorf("then %v", err)
	}
	s.counts(t, "oc_scheduler_streams_closed_total", closedTotal("sse", "4404", 1))
}

func TestEventStreamResumes(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{Streams: carry.Config{CommentEvery: 20 * time.Millisecond}})
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	version := s.listen(t, "/oc/w/check"+inDecember).must(t).id

	current := s.listen(t, "/oc/w/check"+inDecember, "Last-Event-ID", version)
	for range 3 {
		if v := current.must(t); v != (event{}) {
			t.Fatalf("a client that has the version gets %+v", v)
		}
	}
	s.plan(t, "peer-a", 64)
	v := current.must(t)
	for v == (event{}) {
		v = current.must(t)
	}
	if v.id == version || v.name != "result" {
		t.Errorf("after a change: %+v", v)
	}
	if stale := s.listen(t, "/oc/w/check"+inDecember, "Last-Event-ID", version).must(t); stale.id != v.id {
		t.Errorf("a client with an old version gets %+v", stale)
	}
}

func TestEventsAreCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	es := s.listen(t, "/oc/w/check"+inDecember)
	es.must(t)
	s.counts(t, "oc_scheduler_results_sent_total", `
# HELP oc_scheduler_results_sent_total Results written to clients of check streams.
# TYPE oc_scheduler_results_sent_total counter
oc_scheduler_results_sent_total{carrier="sse"} 1
`)
}

func TestWhichCarrierAnAcceptHeaderMeans(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	for accept, events := range map[string]bool{
		"text/event-stream":                               true,
		"TEXT/Event-Stream;charset=utf-8":                 true,
		"text/event-stream, */*":                          true,
		"application/json, text/event-stream":             false,
		"application/json;q=0.1, text/event-stream":       true,
		"text/event-stream;q=0.5, application/json;q=0.9": false,
		"text/event-stream;q=0, application/json":         false,
		"text/html, text/event-stream;q=0.9, */*;q=0.8":   true,
		"text/html,application/xml;q=0.9,*/*":             false,
		"*/*":                                             false,
		"":                                                false,
		"text/event-streams, garbage;;; =, x/y":           false,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/oc/w/check"+inDecember, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		response, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := response.Header.Get("Content-Type") == "text/event-stream"; got != events {
			t.Errorf("%q: %v", accept, response.Header)
		}
		cancel()
		_ = response.Body.Close()
	}
}
