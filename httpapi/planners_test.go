package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
)

// A broken value counts as no planner, and the answer says that one stands there.
func TestABrokenPlannerIsNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	js := s.nats.JetStream(t)
	for peer, value := range map[string]string{
		"broken":  `{"peer_id":"broken"`,
		"another": `{"peer_id":"somebody","generated_at":"2026-12-01T06:00:00Z","capacities":{}}`,
		"empty":   "",
	} {
		if _, err := js.Publish(t.Context(), "$KV.planners."+peer, []byte(value)); err != nil {
			t.Fatal(err)
		}
		p := s.do(t, http.MethodGet, "/planners/"+peer, "").problem(t, http.StatusNotFound)
		if detail, _ := p["detail"].(string); !strings.Contains(detail, "broken; see /readyz?verbose") {
			t.Errorf("%s: %v", peer, p)
		}
	}
}

// Only of a write can it be unknown whether it happened.
func TestWithoutNATS(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	s.nats.Stop()
	natstest.Eventually(t, "the outage is noticed", func() bool { return !s.store.Planners.View().Current() })
	for _, request := range []struct {
		method, path, body string
		unsure             bool
	}{
		{http.MethodGet, "/planners/p", "", false},
		{http.MethodPut, "/oc/w", sampleWorkflow("w", 2), true},
		{http.MethodDelete, "/oc/w", "", true},
	} {
		p := s.do(t, request.method, request.path, request.body).problem(t, http.StatusServiceUnavailable)
		if detail, _ := p["detail"].(string); strings.Contains(detail, "unknown") != request.unsure || !strings.Contains(detail, "out of reach") {
			t.Errorf("%s %s: %v", request.method, request.path, p)
		}
	}
}
