package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
)

// startable is a site with a workflow that can run.
func startable(t *testing.T) *site {
	t.Helper()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 10)
	s.do(t, http.MethodPut, "/oc/wf-1", commanded("wf-1", "true")).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	return s
}

// starts books a run, and returns it.
func (s *site) starts(t *testing.T, body string) (path string, run map[string]any) {
	t.Helper()
	got := s.do(t, http.MethodPost, "/oc/wf-1/runs", body).ok(t, http.StatusCreated)
	run = got.json(t)
	if path = got.header.Get("Location"); path != fmt.Sprintf("/runs/%v", run["id"]) {
		t.Errorf("%v is at %s", run, path)
	}
	return path, run
}

// TestARunIsStarted as soon as it is asked for, once, and is listed from then on.
func TestARunIsStarted(t *testing.T) {
	t.Parallel()
	s := startable(t)
	path, run := s.starts(t, "")
	if items := s.listed(t, "/runs?workflow=wf-1"); len(items) != 1 || items[0]["id"] != run["id"] {
		t.Errorf("the replica that started it lists %v", items)
	}
	natstest.Eventually(t, "it is completed", func() bool {
		return s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)["state"] == "completed"
	})
	if items := s.listed(t, "/runs"); len(items) != 1 {
		t.Errorf("it ran as %v", items)
	}
	if items := s.listed(t, path+"/history"); items[0]["by"] != "anonymous" {
		t.Errorf("it was made by %v", items[0])
	}
}

// TestARunThatWaits is there before its time, and takes its room until it, or its schedule, is cancelled.
func TestARunThatWaits(t *testing.T) {
	t.Parallel()
	s := startable(t)
	check := "/oc/wf-1/check?start=" + on(0) + "T09:30:00Z&duration=10m"
	for _, cancel := range []string{"POST /runs/%v/cancel", "DELETE /schedules/%v"} {
		path, run := s.starts(t, `{"start":"`+on(0)+`T09:00:00Z","labels":{"a":"b"}}`)
		if run["state"] != "scheduled" || run["started_at"] != nil || fmt.Sprint(run["labels"]) != "map[a:b]" || s.status(t, check) != "unavailable" {
			t.Errorf("it waits as %v", run)
		}
		taken := s.do(t, http.MethodPost, "/oc/wf-1/runs", `{"start":"`+on(0)+`T09:00:00Z"}`).problem(t, http.StatusConflict)
		if by := fmt.Sprint(taken["result"]); !strings.Contains(by, fmt.Sprint(run["schedule_id"])) {
			t.Errorf("the conflict does not say with whom: %v", taken)
		}
		method, at, _ := strings.Cut(cancel, " ")
		id := run["id"]
		if method == http.MethodDelete {
			id = run["schedule_id"]
		}
		s.do(t, method, fmt.Sprintf(at, id), "")
		if after := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t); after["state"] != "cancelled" || !strings.HasPrefix(after["reason"].(string), "cancelled: ") {
			t.Errorf("after %s it is %v", cancel, after)
		}
		natstest.Eventually(t, "its room is free", func() bool { return s.status(t, check) == "available" })
		s.do(t, method, fmt.Sprintf(at, id), "")
	}
}

// TestBadRuns are refused, and leave nothing.
func TestBadRuns(t *testing.T) {
	t.Parallel()
	s := startable(t)
	for body, status := range map[string]int{
		`{`: http.StatusBadRequest, `{"cron":"@daily"}`: http.StatusUnprocessableEntity, `{"count":1}`: http.StatusUnprocessableEntity,
		`{"overlap":"skip"}`: http.StatusUnprocessableEntity, `{"start":"2020-01-01T00:00:00Z"}`: http.StatusUnprocessableEntity,
	} {
		s.do(t, http.MethodPost, "/oc/wf-1/runs", body).problem(t, status)
	}
	s.do(t, http.MethodPost, "/oc/nix/runs", "").problem(t, http.StatusNotFound)
	if items := s.listed(t, "/schedules"); len(items) != 0 {
		t.Errorf("they left %v", items)
	}
}
