package httpapi_test

import (
	"net/http"
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
