package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// spoil puts what nobody can read under a key, as an operator may by mistake.
func (s *site) spoil(t *testing.T, bucket, key string, broken func() map[string]string) {
	t.Helper()
	kv, err := s.js.KeyValue(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), key, "{"); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the view knows it is broken", func() bool { return broken()[key] != "" })
}

// TestBrokenRecords: who gives an order learns where the fault is, and where to look.
func TestBrokenRecords(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.spoil(t, store.NodesBucket, "b=2E1", s.parts.Nodes.Broken)
	s.spoil(t, store.ExecutionsBucket, "x", s.parts.Executions.Broken)
	const node = "the stored record of node b.1 cannot be read; nats kv get nodes b=2E1"
	const execution = "the stored record of execution x cannot be read; nats kv get executions x"
	for _, tc := range []struct {
		method, path, body string
		status             int
		detail             string
	}{
		{http.MethodPost, "/nodes/b.1/executions", `{"command":["a"]}`, http.StatusConflict, node},
		{http.MethodGet, "/nodes/b.1", "", http.StatusNotFound, node},
		{http.MethodPost, "/executions/x/cancel", "", http.StatusConflict, execution},
		{http.MethodGet, "/executions/x", "", http.StatusNotFound, execution},
		{http.MethodGet, "/executions/x/logs", "", http.StatusNotFound, execution},
	} {
		if p := s.do(t, tc.method, tc.path, tc.body).problem(t, tc.status); p["detail"] != tc.detail {
			t.Errorf("%s %s: %v", tc.method, tc.path, p["detail"])
		}
	}
}

// TestBrokenBookingsAreAbsent to all who ask for them, as the lists have it.
func TestBrokenBookingsAreAbsent(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 10)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	schedule := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`).ok(t, http.StatusCreated).header.Get("Location")
	hold := s.do(t, http.MethodPost, "/oc/wf-1/holds", `{"start":"`+on(1)+`T09:00:00Z","duration_s":60,"ttl_s":900}`).ok(t, http.StatusCreated).header.Get("Location")
	for path, key := range map[string]string{schedule: "schedule.", hold: "hold."} {
		if _, err := s.js.Publish(t.Context(), "$KV.plan."+key+path[strings.LastIndex(path, "/")+1:], []byte("{")); err != nil {
			t.Fatal(err)
		}
		s.do(t, http.MethodGet, path, "").problem(t, http.StatusNotFound)
	}
	s.do(t, http.MethodGet, schedule+"/next", "").problem(t, http.StatusNotFound)
	s.do(t, http.MethodPost, schedule+"/pause", "").problem(t, http.StatusNotFound)
	s.do(t, http.MethodPost, hold+"/confirm", "").problem(t, http.StatusNotFound)
}
