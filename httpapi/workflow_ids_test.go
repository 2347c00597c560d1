package httpapi_test

import (
	"bytes"
	"net/http"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
)

// TestAnIDStaysWithItsGroups when its workflow is removed: what hangs on it stands on, so nobody else gets at that
// by a workflow of the same id.
func TestAnIDStaysWithItsGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.plan(t, "peer-a", 10)
	mine, theirs := s.as(t, access.User, "mine"), s.as(t, access.User, "theirs")
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), "Authorization", mine).ok(t, http.StatusCreated)
	s.do(t, http.MethodPut, "/oc/taken", sampleWorkflow("taken", 8), "Authorization", mine).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	path := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`, "Authorization", mine).ok(t, http.StatusCreated).header.Get("Location")
	s.do(t, http.MethodDelete, "/oc/wf-1", "", "Authorization", mine).ok(t, http.StatusNoContent)

	taken := s.do(t, http.MethodPut, "/oc/taken", sampleWorkflow("taken", 8), "Authorization", theirs)
	for _, header := range [][]string{nil, {"If-None-Match", "*"}, {"If-Match", "*"}} {
		got := s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), append(header, "Authorization", theirs)...)
		if got.problem(t, http.StatusNotFound); !bytes.Equal(got.body, taken.body) {
			t.Errorf("%v: %s tells of what %s does not", header, got.body, taken.body)
		}
	}
	s.do(t, http.MethodDelete, "/oc/wf-1", "", "Authorization", theirs).problem(t, http.StatusNotFound)
	s.do(t, http.MethodGet, path, "", "Authorization", theirs).problem(t, http.StatusNotFound)
	s.do(t, http.MethodDelete, path, "", "Authorization", theirs).problem(t, http.StatusNotFound)

	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), "Authorization", mine).ok(t, http.StatusCreated)
	s.do(t, http.MethodGet, path, "", "Authorization", mine).ok(t, http.StatusOK)
	s.do(t, http.MethodDelete, "/oc/wf-1", "", "Authorization", mine).ok(t, http.StatusNoContent)
	s.do(t, http.MethodPut, "/oc/wf-1?group=theirs", sampleWorkflow("wf-1", 8), "Authorization", s.as(t, access.Operator)).ok(t, http.StatusCreated)
}
