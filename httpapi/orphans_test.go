package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
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
	waits, run := s.starts(t, `{"start":"`+on(0)+`T09:00:00Z"}`)
	booked := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{"start":"`+on(1)+`T09:00:00Z","cron":"0 9 * * *"}`).ok(t, http.StatusCreated).header.Get("Location")
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

// TestWhatHungOnARemovedWorkflowStaysWithItsGroups: they see how its runs go on, and others see nothing of it. What it
// held is free.
func TestWhatHungOnARemovedWorkflowStaysWithItsGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	mine, theirs := []string{"Authorization", s.as(t, access.User, "mine")}, []string{"Authorization", s.as(t, access.User, "theirs")}
	run := s.begins(t, "wf-1", "wait", "running", mine...)
	scheduled := "/schedules/" + s.do(t, http.MethodGet, run, "", mine...).ok(t, http.StatusOK).json(t)["schedule_id"].(string)
	hold := s.do(t, http.MethodPost, "/oc/wf-1/holds", `{"start":"`+on(0)+`T09:00:00Z","ttl_s":900}`, mine...).ok(t, http.StatusCreated).header.Get("Location")
	s.do(t, http.MethodDelete, "/oc/wf-1", "", mine...).ok(t, http.StatusNoContent)

	s.do(t, http.MethodPost, hold+"/confirm", "", mine...).problem(t, http.StatusGone)
	natstest.Eventually(t, "its schedule has ended", func() bool {
		return s.do(t, http.MethodGet, scheduled, "", mine...).ok(t, http.StatusOK).json(t)["state"] == "ended"
	})
	natstest.Eventually(t, "its hold has ended", func() bool { return s.do(t, http.MethodGet, hold, "", mine...).status == http.StatusNotFound })
	for _, path := range []string{run, run + "/history", scheduled, scheduled + "/next", "/ui" + run, "/ui" + scheduled} {
		s.do(t, http.MethodGet, path, "", mine...).ok(t, http.StatusOK)
		if got := s.do(t, http.MethodGet, path, "", theirs...); got.status != http.StatusNotFound {
			t.Errorf("others get %d of %s", got.status, path)
		}
	}
	for _, list := range []string{"/runs", "/schedules"} {
		if own, others := s.listed(t, list, mine...), s.listed(t, list, theirs...); len(own) != 1 || len(others) != 0 {
			t.Errorf("%s lists %v, to others %v", list, own, others)
		}
	}
	s.do(t, http.MethodPost, run+"/cancel", "", theirs...).problem(t, http.StatusNotFound)
	s.do(t, http.MethodPost, run+"/cancel", "", mine...).ok(t, http.StatusAccepted)
	natstest.Eventually(t, "nothing is taken", func() bool { return len(s.store.Plan.Taken("peer-a")) == 0 })
}
