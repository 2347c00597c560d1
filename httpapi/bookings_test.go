package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/schedule"
)

// bookable is a site with a workflow that needs 8 of the 10 cores that are free.
func bookable(t *testing.T) *site {
	t.Helper()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 10)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	return s
}

var window = `"start":"` + on(0) + `T09:00:00Z","duration_s":3600`

func (s *site) status(t *testing.T, path string) string {
	t.Helper()
	status, _ := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)["status"].(string)
	return status
}

func TestScheduleRoundTrip(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	check := "/oc/wf-1/check?start=" + on(0) + "T09:30:00Z&duration=10m"
	got := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`,"labels":{"team":"a"}}`).ok(t, http.StatusCreated)
	path := got.header.Get("Location")
	made := got.json(t)
	if path != fmt.Sprintf("/schedules/%v", made["id"]) || made["state"] != "active" || made["created_by"] != "anonymous" {
		t.Errorf("at %s: %s", path, got.body)
	}
	if s.status(t, check) != "unavailable" {
		t.Error("the replica that booked does not see it")
	}
	taken := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`).problem(t, http.StatusConflict)
	if by := fmt.Sprint(taken["result"]); !strings.Contains(by, fmt.Sprint(made["id"])) {
		t.Errorf("the conflict does not say by whom: %v", taken)
	}
	if read := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t); read["id"] != made["id"] || len(read["occurrences"].([]any)) != 1 {
		t.Errorf("it reads %v", read)
	}
	for query, n := range map[string]int{
		"": 1, "?workflow=wf-1&state=active&label=team:a": 1, "?label=team:b": 0, "?workflow=wf-2": 0, "?state=paused": 0,
	} {
		list := s.do(t, http.MethodGet, "/schedules"+query, "").ok(t, http.StatusOK).json(t)
		if items := list["items"].([]any); len(items) != n {
			t.Errorf("%q lists %v", query, items)
		} else if n > 0 && items[0].(map[string]any)["occurrences"] != nil {
			t.Errorf("%q lists occurrences", query)
		}
	}
	s.do(t, http.MethodGet, "/oc/wf-1/schedules", "").ok(t, http.StatusOK)
	s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	if s.status(t, check) != "available" {
		t.Error("what was cancelled is taken still")
	}
	if read := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t); read["state"] != "cancelled" {
		t.Errorf("it reads %v", read)
	}
}

func TestRecurringSchedules(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	body := `{` + window + `,"cron":"0 9 * * *","time_zone":"Africa/Tunis","count":3}`
	preview := s.do(t, http.MethodPost, "/oc/wf-1/preview?n=2", body).ok(t, http.StatusOK).json(t)
	if items := preview["items"].([]any); len(items) != 2 || items[0].(map[string]any)["nominal"] != on(1)+"T09:00:00+01:00" {
		t.Errorf("preview %v", preview)
	}
	path := s.do(t, http.MethodPost, "/oc/wf-1/schedules", body).ok(t, http.StatusCreated).header.Get("Location")
	next := s.do(t, http.MethodGet, path+"/next?n=5", "").ok(t, http.StatusOK).json(t)
	if items := next["items"].([]any); len(items) != 3 {
		t.Errorf("next %v", next)
	}
	if paused := s.do(t, http.MethodPost, path+"/pause", "").ok(t, http.StatusOK).json(t); paused["state"] != "paused" {
		t.Errorf("paused %v", paused)
	}
	if resumed := s.do(t, http.MethodPost, path+"/resume", "").ok(t, http.StatusOK).json(t); resumed["state"] != "active" {
		t.Errorf("resumed %v", resumed)
	}
	s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	s.do(t, http.MethodPost, path+"/pause", "").problem(t, http.StatusConflict)
}

func TestHolds(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	hold := func() string {
		t.Helper()
		return s.do(t, http.MethodPost, "/oc/wf-1/holds", `{`+window+`,"ttl_s":900}`).ok(t, http.StatusCreated).header.Get("Location")
	}
	path := hold()
	if held := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t); held["state"] != "held" || held["schedule_id"] != nil {
		t.Errorf("held %v", held)
	}
	s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`).problem(t, http.StatusConflict)
	s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	s.do(t, http.MethodGet, path, "").problem(t, http.StatusNotFound)
	s.do(t, http.MethodPost, path+"/confirm", "").problem(t, http.StatusGone)
	path = hold()
	made := s.do(t, http.MethodPost, path+"/confirm", `{"labels":{"a":"b"}}`).ok(t, http.StatusCreated)
	s.do(t, http.MethodGet, made.header.Get("Location"), "").ok(t, http.StatusOK)
	s.do(t, http.MethodPost, path+"/confirm", "").problem(t, http.StatusConflict)
}

// TestBookingWaitsForPlanners that are missing, when it is told to.
func TestBookingWaitsForPlanners(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	missing := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`).problem(t, http.StatusConflict)
	if fmt.Sprint(missing["missing_planners"]) != "[peer-a]" {
		t.Errorf("missing %v", missing)
	}
	if unknown := s.do(t, http.MethodPost, "/oc/wf-1/preview", `{`+window+`}`).ok(t, http.StatusOK); !strings.Contains(string(unknown.body), `"unknown"`) {
		t.Errorf("previewed %s", unknown.body)
	}
	booked, previewed := make(chan answer, 1), make(chan answer, 1)
	go func() { booked <- s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`,"wait_s":20}`) }()
	go func() { previewed <- s.do(t, http.MethodPost, "/oc/wf-1/preview", `{`+window+`,"wait_s":20}`) }()
	s.counts(t, "oc_scheduler_streams_open", `
# HELP oc_scheduler_streams_open Streams open now, of answers and of output.
# TYPE oc_scheduler_streams_open gauge
oc_scheduler_streams_open{carrier="wait"} 2
`)
	s.plan(t, "peer-a", 10)
	select {
	case got := <-booked:
		got.ok(t, http.StatusCreated)
		if got := (<-previewed).ok(t, http.StatusOK); strings.Contains(string(got.body), `"unknown"`) {
			t.Errorf("previewed %s", got.body)
		}
	case <-time.After(patience):
		t.Fatal("it waits on")
	}
}

// TestBookingsOfOthers are not there for who is in none of the workflow's groups.
func TestBookingsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.plan(t, "peer-a", 10)
	mine, theirs := s.as(t, access.User, "mine"), s.as(t, access.User, "theirs")
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), "Authorization", mine).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	path := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`, "Authorization", mine).ok(t, http.StatusCreated).header.Get("Location")
	held := s.do(t, http.MethodPost, "/oc/wf-1/holds", `{"start":"`+on(1)+`T09:00:00Z","duration_s":60,"ttl_s":900}`, "Authorization", mine).ok(t, http.StatusCreated).header.Get("Location")
	for _, hidden := range []string{
		"GET " + path, "GET " + path + "/next", "POST " + path + "/pause", "DELETE " + path, "GET " + held, "DELETE " + held, "POST " + held + "/confirm",
		"GET /oc/wf-1/schedules",
	} {
		method, at, _ := strings.Cut(hidden, " ")
		s.do(t, method, at, "", "Authorization", theirs).problem(t, http.StatusNotFound)
	}
	for bearer, n := range map[string]int{mine: 1, theirs: 0} {
		list := s.do(t, http.MethodGet, "/schedules", "", "Authorization", bearer).ok(t, http.StatusOK).json(t)
		if items := list["items"].([]any); len(items) != n {
			t.Errorf("lists %v, want %d", items, n)
		}
		page := s.do(t, http.MethodGet, "/ui/", "", "Authorization", bearer).ok(t, http.StatusOK)
		if strings.Contains(string(page.body), "wf-1") != (n == 1) {
			t.Errorf("the page shows\n%s", page.body)
		}
		if got := s.do(t, http.MethodGet, "/ui/workflows/wf-1?duration=1h", "", "Authorization", bearer); (got.status == http.StatusOK) != (n == 1) {
			t.Errorf("the workflow's page: %d", got.status)
		}
	}
	s.do(t, http.MethodGet, path, "", "Authorization", mine).ok(t, http.StatusOK)
}

// unsteady are bookings that NATS does not tell of when it is asked whose they are.
type unsteady struct{ httpapi.Bookings }

func (unsteady) Get(context.Context, string) (schedule.Schedule, error) {
	return schedule.Schedule{}, kv.ErrUnavailable
}

func (unsteady) GetHold(context.Context, string) (schedule.Hold, error) {
	return schedule.Hold{}, kv.ErrUnavailable
}

// TestWhoseABookingIsHasToBeKnown before anything is done to it.
func TestWhoseABookingIsHasToBeKnown(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.plan(t, "peer-a", 10)
	mine, theirs := s.as(t, access.User, "mine"), s.as(t, access.User, "theirs")
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 1), "Authorization", mine).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	booked := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`, "Authorization", mine).ok(t, http.StatusCreated).header.Get("Location")
	held := s.do(t, http.MethodPost, "/oc/wf-1/holds", `{`+window+`,"ttl_s":900}`, "Authorization", mine).ok(t, http.StatusCreated).header.Get("Location")
	steady := s.parts
	s.parts.Bookings = unsteady{s.parts.Bookings}
	r := s.beside(t, guarded())
	s.parts = steady
	for _, what := range []string{"DELETE " + booked, "POST " + booked + "/pause", "DELETE " + held, "POST " + held + "/confirm"} {
		method, path, _ := strings.Cut(what, " ")
		r.asks(t, method, path, http.StatusServiceUnavailable, "Authorization", theirs)
	}
	if is := s.do(t, http.MethodGet, booked, "", "Authorization", mine).ok(t, http.StatusOK).json(t); is["state"] != "active" {
		t.Errorf("the schedule is %v", is)
	}
	s.do(t, http.MethodGet, held, "", "Authorization", mine).ok(t, http.StatusOK)
}

// TestConflictsNameNobodyOfOtherGroups wherever a result is told: that something is taken shows, by whom does not.
func TestConflictsNameNobodyOfOtherGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.plan(t, "peer-a", 10)
	mine, theirs := s.as(t, access.User, "mine"), s.as(t, access.User, "theirs")
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 3), "Authorization", mine).ok(t, http.StatusCreated)
	s.do(t, http.MethodPut, "/oc/wf-2", sampleWorkflow("wf-2", 5), "Authorization", theirs).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	scheduled := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`, "Authorization", mine).ok(t, http.StatusCreated).json(t)["id"].(string)
	held := s.do(t, http.MethodPost, "/oc/wf-1/holds", `{`+window+`,"ttl_s":900}`, "Authorization", mine).ok(t, http.StatusCreated).json(t)["id"].(string)
	check := "/check?start=" + on(0) + "T09:00:00Z&duration=1h"
	watcher, err := s.connect(t.Context(), "/oc/wf-1"+check, bearing(mine)) // so that the planner stays
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = watcher.CloseNow() }()
	for bearer, workflowID := range map[string]string{mine: "wf-1", theirs: "wf-2"} {
		own := bearer == mine
		if own { // needs more than is left, too
			s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 5), "Authorization", mine).ok(t, http.StatusOK)
		}
		asked := "/oc/" + workflowID
		for what, body := range map[string][]byte{
			"check":   s.do(t, http.MethodGet, asked+check, "", "Authorization", bearer).ok(t, http.StatusOK).body,
			"events":  s.first(t, asked+check, "Authorization", bearer).body,
			"preview": s.do(t, http.MethodPost, asked+"/preview", `{`+window+`}`, "Authorization", bearer).ok(t, http.StatusOK).body,
			"refusal": s.do(t, http.MethodPost, asked+"/schedules", `{`+window+`}`, "Authorization", bearer).body,
		} {
			if text := string(body); strings.Contains(text, scheduled) != own || strings.Contains(text, held) != own || !strings.Contains(text, `"unavailable"`) {
				t.Errorf("%s of %s says %s", what, workflowID, text)
			}
		}
	}
}

func TestBadBookings(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	for body, status := range map[string]int{
		`{`: http.StatusBadRequest, `{"start":"soon"}`: http.StatusUnprocessableEntity, `{` + window + `,"cron":"@every 1s"}`: http.StatusUnprocessableEntity,
		`{` + window + `,"nix":1}`: http.StatusUnprocessableEntity, `{"start":"2020-01-01T00:00:00Z","duration_s":60}`: http.StatusUnprocessableEntity,
	} {
		s.do(t, http.MethodPost, "/oc/wf-1/schedules", body).problem(t, status)
	}
	s.do(t, http.MethodPost, "/oc/wf-1/holds", `{`+window+`}`).problem(t, http.StatusUnprocessableEntity)
	s.do(t, http.MethodPost, "/oc/nix/schedules", `{`+window+`}`).problem(t, http.StatusNotFound)
	s.do(t, http.MethodPost, "/oc/wf-1/preview?n=257", `{`+window+`}`).problem(t, http.StatusUnprocessableEntity)
	for _, path := range []string{"/schedules/nix", "/schedules/nix/next", "/holds/nix"} {
		s.do(t, http.MethodGet, path, "").problem(t, http.StatusNotFound)
	}
	s.do(t, http.MethodDelete, "/schedules/nix", "").problem(t, http.StatusNotFound)
	s.do(t, http.MethodGet, "/schedules?state=nix", "").problem(t, http.StatusUnprocessableEntity)
	s.do(t, http.MethodGet, "/schedules?label=nix", "").problem(t, http.StatusUnprocessableEntity)
}
