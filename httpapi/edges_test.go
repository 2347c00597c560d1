package httpapi_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/execution"
)

func TestIDsInPaths(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	for path, id := range map[string]string{
		"/oc/%22a.%3E%22":  `"a.>"`,
		"/oc/a%2Fb":        "a/b",
		"/oc/a%2Fb%20c%25": "a/b c%",
		"/oc/%2525":        "%25", // decoded once, not twice
		"/oc/a+b":          "a+b",
		"/oc/%C3%A9":       "é",
		"/oc/a;b=1":        "a;b=1",
		"/oc/$KV.*":        "$KV.*",
		"/oc/check":        "check",
	} {
		body := strings.Replace(sampleWorkflow("ID", 1), `"ID"`, quoted(t, id), 1)
		s.do(t, http.MethodPut, path, body).ok(t, http.StatusCreated)
		if got := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)["id"]; got != id {
			t.Errorf("%s: id is %q", path, got)
		}
		result := s.do(t, http.MethodGet, path+"/check?duration=1h", "").ok(t, http.StatusOK).json(t)
		if result["workflow_id"] != id {
			t.Errorf("%s: a result for %q", path, result["workflow_id"])
		}
	}
	for path, status := range map[string]int{
		"/oc//check":                        http.StatusBadRequest,
		"/oc/%00/check":                     http.StatusBadRequest,
		"/oc/a%0Ab":                         http.StatusBadRequest,
		"/oc/%FF":                           http.StatusBadRequest,
		"/oc/" + strings.Repeat("x", 129):   http.StatusBadRequest,
		"/oc/" + strings.Repeat("x", 128):   http.StatusNotFound,
		"/oc/%22b.%3E%22/check?duration=1h": http.StatusNotFound,
		"/oc/a/b":                           http.StatusNotFound,
		"/oc/a/check/b":                     http.StatusNotFound,
		"/planners/a/b":                     http.StatusNotFound,
		"/planners/%01":                     http.StatusBadRequest,
		"/planners/unknown":                 http.StatusNotFound,
		"/nowhere":                          http.StatusNotFound,
		"/oc/unknown/check":                 http.StatusNotFound,
	} {
		s.do(t, http.MethodGet, path, "").problem(t, status)
	}
}

// TestWhatIsNotThere holds that a 404 says what it is that is missing.
func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	for path, detail := range map[string]string{
		"/oc/x":                   "no such workflow",
		"/oc/x/check?duration=1h": "no such workflow",
		"/planners/x":             "no planner of this peer is stored",
		"/nowhere":                "no such route; see /openapi.json",
		"/oc/x/y":                 "no such route; see /openapi.json",
		"/planners/x/y":           "no such route; see /openapi.json",
	} {
		if p := s.do(t, http.MethodGet, path, "").problem(t, http.StatusNotFound); p["detail"] != detail {
			t.Errorf("%s: %v", path, p)
		}
	}
	if p := s.do(t, http.MethodDelete, "/oc/x", "").problem(t, http.StatusNotFound); p["detail"] != "no such workflow" {
		t.Errorf("DELETE: %v", p)
	}
}

// TestProblemsAreReadable holds that a problem quotes what it is about as it was given.
func TestProblemsAreReadable(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	a := s.do(t, http.MethodPut, "/oc/w", `{"graph":{"items":{"<a>&b":{}}}}`)
	if a.problem(t, http.StatusUnprocessableEntity); !strings.Contains(string(a.body), "<a>&b") {
		t.Errorf("%s", a.body)
	}
}

func TestResultsAreLines(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	for range 2 { // the second is shared with the first
		for _, got := range []answer{
			s.do(t, http.MethodGet, "/oc/w/check?duration=1h", "").ok(t, http.StatusOK),
			s.do(t, http.MethodPost, "/oc/w/check", `{"duration_s": 3600}`).ok(t, http.StatusOK),
		} {
			if !strings.HasSuffix(string(got.body), "}\n") {
				t.Errorf("%q", got.body)
			}
		}
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	p := s.do(t, http.MethodPatch, "/oc/w", "")
	p.problem(t, http.StatusMethodNotAllowed)
	if allow := p.header.Get("Allow"); !strings.Contains(allow, "PUT") || !strings.Contains(allow, "DELETE") {
		t.Errorf("Allow is %q", allow)
	}
	s.do(t, "BREW", "/metrics", "").problem(t, http.StatusMethodNotAllowed)
	for _, path := range []string{"/oc", "/oc/w", "/oc/w/check?duration=1h", "/planners", "/livez", "/readyz", "/metrics", "/openapi.json"} {
		if a := s.do(t, http.MethodHead, path, "").ok(t, http.StatusOK); len(a.body) > 0 || a.header.Get("Content-Type") == "" {
			t.Errorf("HEAD %s: %d bytes of %q", path, len(a.body), a.header.Get("Content-Type"))
		}
	}
	s.node(t).output(t, "x")
	s.begun(t, "x", execution.Completed)
	for accept, want := range map[string]string{"": "text/plain; charset=UTF-8", "text/event-stream": "text/event-stream"} {
		a := s.do(t, http.MethodHead, "/executions/x/logs?follow=true", "", "Accept", accept).ok(t, http.StatusOK)
		if got := a.header.Get("Content-Type"); got != want || len(a.body) > 0 {
			t.Errorf("HEAD of output: %q, %q", got, a.body)
		}
	}
	if a := s.do(t, http.MethodHead, "/executions/unknown/logs", ""); a.status != http.StatusNotFound || len(a.body) > 0 {
		t.Errorf("HEAD of unknown output: %d", a.status)
	}
	if a := s.do(t, http.MethodHead, "/oc/unknown", ""); a.status != http.StatusNotFound || len(a.body) > 0 {
		t.Errorf("HEAD of an unknown workflow: %d", a.status)
	}
	if a := s.do(t, http.MethodOptions, "/oc/w", ""); a.status != http.StatusNoContent || a.header.Get("Allow") == "" {
		t.Errorf("OPTIONS: %d, Allow %q", a.status, a.header.Get("Allow"))
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	large := `{"pad":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodPut, "/oc/w", "", http.StatusBadRequest},
		{http.MethodPut, "/oc/w", "{", http.StatusBadRequest},
		{http.MethodPut, "/oc/w", "null", http.StatusUnprocessableEntity},
		{http.MethodPut, "/oc/w", `{"id":"w","id":"w","graph":{}}`, http.StatusUnprocessableEntity},
		{http.MethodPut, "/oc/w", sampleWorkflow("other", 1), http.StatusUnprocessableEntity},
		{http.MethodPut, "/oc/w", large, http.StatusRequestEntityTooLarge},
		{http.MethodPost, "/oc/w/check", "not json", http.StatusBadRequest},
		{http.MethodPost, "/oc/w/check", `{"duration_s":-1}`, http.StatusUnprocessableEntity},
		{http.MethodPost, "/oc/w/check", `{"strat":"2026-12-01T09:00:00Z","duration_s":60}`, http.StatusUnprocessableEntity},
		{http.MethodPost, "/oc/w/check", `{}`, http.StatusUnprocessableEntity}, // no duration, and the workflow has none
		{http.MethodPost, "/oc/w/check", large, http.StatusRequestEntityTooLarge},
		{http.MethodPost, "/oc/w/check?wait=soon", `{"duration_s":60}`, http.StatusUnprocessableEntity},
		{http.MethodPost, "/oc/w/check?wait=-1s", `{"duration_s":60}`, http.StatusUnprocessableEntity},
		{http.MethodPost, "/oc/unknown/check", `{"duration_s":60}`, http.StatusNotFound},
		{http.MethodPost, "/oc/unknown/check?wait=1s", `{"duration_s":60}`, http.StatusNotFound},
		{http.MethodGet, "/oc/w/check", "", http.StatusUnprocessableEntity},
		{http.MethodGet, "/oc/w/check?start=%zz", "", http.StatusUnprocessableEntity},
		{http.MethodGet, "/oc/w/check?duration=1h&nonsense=1", "", http.StatusUnprocessableEntity},
	} {
		p := s.do(t, c.method, c.path, c.body).problem(t, c.status)
		if _, listed := p["errors"]; listed != (c.status == http.StatusUnprocessableEntity) {
			t.Errorf("%s %s: problem is %v", c.method, c.path, p)
		}
	}
	if got := s.do(t, http.MethodGet, "/oc/w", "").ok(t, http.StatusOK); string(got.body) != sampleWorkflow("w", 1) {
		t.Errorf("a refused body was stored: %s", got.body)
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	for sent, kept := range map[string]bool{"abc-1.2_Z": true, "a b": false, strings.Repeat("x", 65): false, "a\"b": false} {
		got := s.do(t, http.MethodGet, "/livez", "", "X-Request-ID", sent).header.Get("X-Request-ID")
		if (got == sent) != kept {
			t.Errorf("%q became %q", sent, got)
		}
	}
}

func TestBeforeTheFirstLoad(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	s.checks = []httpapi.Check{{Name: "nats", Probe: func() error { return errors.New("connection refused") }}}
	s.do(t, http.MethodGet, "/livez", "").ok(t, http.StatusOK)
	for _, path := range []string{"/oc", "/oc/w", "/oc/w/check", "/planners", "/planners/p", "/readyz"} {
		a := s.do(t, http.MethodGet, path, "")
		a.problem(t, http.StatusServiceUnavailable)
		if a.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 1)).problem(t, http.StatusServiceUnavailable)
	s.do(t, http.MethodGet, "/oc//check", "").problem(t, http.StatusBadRequest)
	s.do(t, http.MethodGet, "/metrics", "").ok(t, http.StatusOK)
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	s.checks = []httpapi.Check{
		{Name: "nats", Probe: func() error { return nil }},
		{Name: "view planners", Probe: func() error { return nil }, Notes: func() []string { return []string{"peer-x: not JSON"} }},
	}
	if got := s.do(t, http.MethodGet, "/readyz", "").ok(t, http.StatusOK).json(t); got["checks"] != nil {
		t.Errorf("readyz is %v", got)
	}
	verbose := s.do(t, http.MethodGet, "/readyz?verbose", "").ok(t, http.StatusOK)
	if !strings.Contains(string(verbose.body), "peer-x: not JSON") || len(verbose.json(t)["checks"].([]any)) != 3 {
		t.Errorf("verbose is %s", verbose.body)
	}
	s.Retire()
	p := s.do(t, http.MethodGet, "/readyz?verbose", "").problem(t, http.StatusServiceUnavailable)
	if !strings.Contains(p["detail"].(string), "draining") || len(p["checks"].([]any)) != 3 {
		t.Errorf("problem is %v", p)
	}
	s.do(t, http.MethodGet, "/livez", "").ok(t, http.StatusOK)
}

func TestPanicsAreAnswered(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	s.log.allow("panic")
	s.checks = []httpapi.Check{{Name: "bad", Probe: func() error { panic("secret words") }}}
	p := s.do(t, http.MethodGet, "/readyz", "").problem(t, http.StatusInternalServerError)
	if strings.Contains(p["detail"].(string), "secret") {
		t.Errorf("the problem tells of the inside: %v", p)
	}
	if !s.log.holds("secret words") {
		t.Error("the log says nothing")
	}
	s.do(t, http.MethodGet, "/livez", "").ok(t, http.StatusOK)
	s.checks = nil // who counts asks whether it is ready
	s.counts(t, "oc_scheduler_http_panics_total", `
# HELP oc_scheduler_http_panics_total Panics caught in handlers.
# TYPE oc_scheduler_http_panics_total counter
oc_scheduler_http_panics_total 1
`)
}

func TestForeignOrigins(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{AllowOrigins: []string{"https://app.example"}})
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	foreign, listed := "https://evil.example", "https://app.example"
	s.do(t, http.MethodDelete, "/oc/w", "", "Origin", foreign).problem(t, http.StatusForbidden)
	s.do(t, http.MethodPost, "/oc/w/check", `{"duration_s":60}`, "Origin", foreign).problem(t, http.StatusForbidden)
	s.do(t, http.MethodGet, "/oc/w/check?duration=1h", "", "Origin", foreign, "Accept", "text/event-stream").problem(t, http.StatusForbidden)
	if a := s.do(t, http.MethodGet, "/oc/w", "", "Origin", foreign).ok(t, http.StatusOK); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a foreign page may read")
	}
	a := s.do(t, http.MethodGet, "/oc/w", "", "Origin", listed).ok(t, http.StatusOK)
	if a.header.Get("Access-Control-Allow-Origin") != listed || !strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "ETag") {
		t.Errorf("headers are %v", a.header)
	}
	asked := s.do(t, http.MethodOptions, "/oc/w", "", "Origin", listed, "Access-Control-Request-Method", "PUT")
	if asked.status != http.StatusNoContent || !strings.Contains(asked.header.Get("Access-Control-Allow-Methods"), "PUT") {
		t.Errorf("preflight: %d %v", asked.status, asked.header)
	}
	asked = s.do(t, http.MethodOptions, "/oc/w", "", "Origin", foreign, "Access-Control-Request-Method", "PUT")
	if asked.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a foreign page may write")
	}
	s.do(t, http.MethodPost, "/oc/w/check", `{"duration_s":60}`, "Origin", s.url).ok(t, http.StatusOK) // its own
}

func TestNATSOutOfReach(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 64)
	s.nats.Stop()
	for deadline := time.Now().Add(patience); s.parts.Workflows.Current() && time.Now().Before(deadline); {
		pause(t)
	}
	for _, a := range []answer{
		s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 2)),
		s.do(t, http.MethodDelete, "/oc/w", ""),
		s.do(t, http.MethodGet, "/planners/peer-a", ""),
	} {
		a.problem(t, http.StatusServiceUnavailable)
		if a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	for _, path := range []string{"/oc", "/oc/w", "/oc/w/check?duration=1h", "/planners"} {
		if a := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK); a.header.Get("Age") == "" {
			t.Errorf("%s: no Age", path)
		}
	}
	if a := s.do(t, http.MethodPost, "/oc/w/check", `{"duration_s":60}`).ok(t, http.StatusOK); a.header.Get("Age") == "" {
		t.Error("POST: no Age")
	}
	s.nats.Restart(t)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); pause(t) {
		if s.do(t, http.MethodGet, "/oc/w", "").ok(t, http.StatusOK).header.Get("Age") == "" {
			return
		}
	}
	t.Error("Age stays after NATS came back")
}

func TestTheLongestIDIsServed(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	id := strings.Repeat("é", 64) // its key in the bucket is three times as long
	s.do(t, http.MethodPut, "/oc/"+strings.Repeat("%C3%A9", 64), sampleWorkflow(id, 1)).ok(t, http.StatusCreated)
}
