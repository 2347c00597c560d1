package httpapi_test

import (
	"net/http"
	"testing"

	"oc-scheduler/httpapi"
)

// defaults is the configuration of tests that need no special one.
var defaults = httpapi.Config{}

func TestWorkflowRoundTrip(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	created := s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	if created.header.Get("Location") != "/oc/wf-1" {
		t.Errorf("Location is %q", created.header.Get("Location"))
	}
	tag := created.header.Get("ETag")
	got := s.do(t, http.MethodGet, "/oc/wf-1", "").ok(t, http.StatusOK)
	if string(got.body) != sampleWorkflow("wf-1", 8) || got.header.Get("ETag") != tag {
		t.Errorf("GET gives %s, tag %s, want tag %s", got.body, got.header.Get("ETag"), tag)
	}
	if got.header.Get("Age") != "" {
		t.Errorf("Age is %q of a current view", got.header.Get("Age"))
	}
	s.do(t, http.MethodGet, "/oc/wf-1", "", "If-None-Match", tag).ok(t, http.StatusNotModified)
	replaced := s.put(t, "wf-1", 9).ok(t, http.StatusOK)
	s.do(t, http.MethodGet, "/oc/wf-1", "", "If-None-Match", tag).ok(t, http.StatusOK)
	s.do(t, http.MethodDelete, "/oc/wf-1", "", "If-Match", tag).problem(t, http.StatusPreconditionFailed)
	s.do(t, http.MethodDelete, "/oc/wf-1", "", "If-Match", replaced.header.Get("ETag")).ok(t, http.StatusNoContent)
	s.do(t, http.MethodGet, "/oc/wf-1", "").problem(t, http.StatusNotFound)
	s.do(t, http.MethodDelete, "/oc/wf-1", "").problem(t, http.StatusNotFound)
}

func TestConditionsOfPut(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	put := func(header ...string) answer {
		t.Helper()
		return s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 1), header...)
	}
	put("If-Match", "*").problem(t, http.StatusPreconditionFailed)
	put("If-Match", `"1"`).problem(t, http.StatusPreconditionFailed)
	tag := put("If-None-Match", "*").ok(t, http.StatusCreated).header.Get("ETag")
	put("If-None-Match", "*").problem(t, http.StatusPreconditionFailed)
	put("If-None-Match", tag).problem(t, http.StatusPreconditionFailed)
	put("If-Match", "W/"+tag).problem(t, http.StatusPreconditionFailed) // weak tags match nothing
	put("If-Match", `"nonsense"`).problem(t, http.StatusPreconditionFailed)
	put("If-Match", `"0", `+tag).ok(t, http.StatusOK)
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 2), "If-Match", tag).ok(t, http.StatusOK)
	put("If-Match", tag).problem(t, http.StatusPreconditionFailed) // no longer
	put("If-Match", "*").ok(t, http.StatusOK)
}
