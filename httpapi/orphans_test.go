package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
)

// TestARemovedWorkflowEndsItsSchedules: what has not begun is free, and a run that waits is cancelled; one under way
// goes on.
func TestARemovedWorkflowEndsItsSchedules(t *testing.T) {
	t.Parallel()
	s := startable(t)
	s.do(t, http.MethodPut, "/oc/wf-2", commanded("wf-2", "wait")).ok(t, http.StatusCreated)
	goesOn := s.do(t, http.MethodPost, "/oc/wf-2/runs", "").ok(t, http.StatusCreated).header.Get("Location")
	natstest.Eventually(t, "it is under way", func() bool {
		return s.do(t, http.MethodGet, goesOn, "").ok(t, http.StatusOK).json(t)["state"] == "running"
	})
	waits, run := s.starts(t, `{"start":"2026-12-24T09:00:00Z"}`)
	booked := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{"start":"2026-12-25T09:00:00Z","cron":"0 9 * * *"}`).ok(t, http.StatusCreated).header.Get("Location")
	for _, path := range []string{"/oc/wf-1", "/oc/wf-2"} {
		s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	}
	natstest.Eventually(t, "the schedules have ended", func() bool {
		return len(s.listed(t, "/schedules?state=ended")) == 3
	})
	for _, path := range []string{booked, "/schedules/" + run["schedule_id"].(string)} {
		if got := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK); !strings.Contains(string(got.body), `"reason":"workflow removed: `) || strings.Contains(string(got.body), `"state":"booked"`) {
			t.Errorf("after its workflow: %s", got.body)
		}
	}
	if got := s.do(t, http.MethodGet, waits, "").ok(t, http.StatusOK).json(t); got["state"] != "cancelled" {
		t.Errorf("what waited is %v", got)
	}
	if got := s.do(t, http.MethodGet, goesOn, "").ok(t, http.StatusOK).json(t); got["state"] != "running" {
		t.Errorf("what was under way is %v", got)
	}
	natstest.Eventually(t, "nothing is taken but by what goes on", func() bool { return len(s.store.Plan.Taken("peer-a")) == 1 })
	s.do(t, http.MethodDelete, "/schedules/"+s.do(t, http.MethodGet, goesOn, "").json(t)["schedule_id"].(string)+"?runs=cancel", "").ok(t, http.StatusNoContent)
	natstest.Eventually(t, "it was cancelled with its schedule", func() bool {
		return s.do(t, http.MethodGet, goesOn, "").ok(t, http.StatusOK).json(t)["state"] == "cancelled"
	})
	s.do(t, http.MethodDelete, booked+"?runs=nix", "").problem(t, http.StatusUnprocessableEntity)
}
