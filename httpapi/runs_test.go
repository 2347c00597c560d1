package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
)

// commanded is a workflow of one step, which runs a command on a compute item for up to an hour.
func commanded(workflowID, command string) string {
	return fmt.Sprintf(`{"id":%q,"graph":{"items":{"s":{"processing":{"command":[%q],"duration_s":3600}},"n1":{"compute":{"id":"cluster","peer_id":"peer-a","demand":{"cores":8}}}},
		"links":[{"source":"s","destination":"n1"}]}}`, workflowID, command)
}

// begins books a workflow from now on, and waits for its run to come to a state. It returns the path of the run.
func (s *site) begins(t *testing.T, workflowID, command, state string, header ...string) (path string) {
	t.Helper()
	s.plan(t, "peer-a", 10)
	s.do(t, http.MethodPut, "/oc/"+workflowID, commanded(workflowID, command), header...).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	made := s.do(t, http.MethodPost, "/oc/"+workflowID+"/schedules", `{"labels":{"a":"b"}}`, header...).ok(t, http.StatusCreated).json(t)
	natstest.Eventually(t, "the run is "+state, func() bool {
		items := s.listed(t, fmt.Sprintf("/runs?schedule=%v&state=%s", made["id"], state), header...)
		if len(items) == 1 {
			path = fmt.Sprintf("/runs/%v", items[0]["id"])
		}
		return len(items) == 1
	})
	return path
}

// listed are the items of a list, over pages of two.
func (s *site) listed(t *testing.T, path string, header ...string) (items []map[string]any) {
	t.Helper()
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	for cursor := ""; ; {
		page := s.do(t, http.MethodGet, path+join+"limit=2&cursor="+cursor, "", header...).ok(t, http.StatusOK).json(t)
		for _, item := range page["items"].([]any) {
			items = append(items, item.(map[string]any))
		}
		if page["next_cursor"] == nil {
			return items
		}
		cursor = page["next_cursor"].(string)
	}
}

// TestARunIsShown from what was booked to its end.
func TestARunIsShown(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	path := s.begins(t, "wf-1", "true", "completed")
	run := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)
	steps := run["steps"].([]any)
	if len(steps) != 1 || run["workflow_id"] != "wf-1" || run["reason"] != "" || run["late_s"] == nil || run["ended_at"] == nil || run["work"] != nil {
		t.Fatalf("the run is %v", run)
	}
	step := steps[0].(map[string]any)
	done := step["executions"].([]any)[0].(map[string]any)
	if step["item_id"] != "s" || step["state"] != "completed" || done["node_id"] != "node-i0" || done["exit_code"] != 0.0 || done["attempt"] != 1.0 {
		t.Errorf("its step is %v", step)
	}
	start, end := url.QueryEscape(run["start"].(string)), url.QueryEscape(run["end"].(string))
	for query, n := range map[string]int{
		"": 1, "?workflow=wf-1&state=completed": 1, "?workflow=wf-2": 0, "?schedule=s-other": 0, "?state=failed": 0,
		"?from=" + start + "&to=" + end: 1, "?from=" + end: 0, "?to=" + start: 0, "?to=" + end: 1,
	} {
		items := s.listed(t, "/runs"+query)
		if len(items) != n {
			t.Errorf("%q lists %v", query, items)
		} else if n > 0 && (items[0]["steps"] != nil || items[0]["state"] != "completed" || fmt.Sprint(items[0]["labels"]) != "map[a:b]") {
			t.Errorf("%q lists %v", query, items[0])
		}
	}
	s.do(t, http.MethodPost, path+"/cancel", "").ok(t, http.StatusAccepted)
	if after := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t); !reflect.DeepEqual(after, run) {
		t.Errorf("what was over is %v, was %v", after, run)
	}
}

// TestTheHistoryOfARun has each transition, in order, and who did it.
func TestTheHistoryOfARun(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	items := s.listed(t, s.begins(t, "wf-1", "true", "completed")+"/history")
	var told []string
	for i, item := range items {
		if item["seq"] != float64(i+1) || item["at"] == nil || item["by"] == "" || item["reason"] != "" {
			t.Errorf("item %d is %v", i, item)
		}
		told = append(told, strings.TrimSpace(fmt.Sprint(item["kind"], " ", item["from"], ">", item["to"])))
	}
	want := "run >scheduled, step >waiting, run scheduled>starting, step waiting>running, run starting>running, step running>completed, run running>completed"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("history is\n%s, want\n%s", got, want)
	}
}

// TestTheHistoryOutlivesTheRun for those who saw it.
func TestTheHistoryOutlivesTheRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	mine, theirs := s.as(t, access.User, "mine"), s.as(t, access.User, "theirs")
	path := s.begins(t, "wf-1", "true", "completed", "Authorization", mine)
	was := s.listed(t, path+"/history", "Authorization", mine)
	runID := strings.TrimPrefix(path, "/runs/")
	natstest.Eventually(t, "all is passed on", func() bool {
		last, err := s.parts.Past.Last(t.Context(), history.OfRun, runID)
		return err == nil && last.Seq == len(was)
	})
	gone := nats.NewMsg(plan.Runs.Prefix + string(kv.KeyOf(runID)))
	gone.Header.Set("KV-Operation", "PURGE")
	if _, err := s.js.PublishMsg(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	s.do(t, http.MethodGet, path, "", "Authorization", mine).problem(t, http.StatusNotFound)
	if is := s.listed(t, path+"/history", "Authorization", mine); !reflect.DeepEqual(is, was) {
		t.Errorf("history is\n%v, was\n%v", is, was)
	}
	s.do(t, http.MethodGet, path+"/history", "", "Authorization", theirs).problem(t, http.StatusNotFound)
}

// TestARunIsCancelled by whom and why he says, and frees what it has.
func TestARunIsCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	path := s.begins(t, "wf-1", "wait", "running")
	if s.status(t, "/oc/wf-1/check?duration=10m") != "unavailable" {
		t.Error("what runs takes nothing")
	}
	s.do(t, http.MethodPost, path+"/cancel", `{"why":"x"}`).problem(t, http.StatusUnprocessableEntity)
	s.do(t, http.MethodPost, path+"/cancel", `{"reason":"enough"}`).ok(t, http.StatusAccepted)
	natstest.Eventually(t, "it is cancelled", func() bool {
		run := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)
		return run["state"] == "cancelled" && run["reason"] == "cancelled: enough"
	})
	items := s.listed(t, path+"/history")
	if last := items[len(items)-1]; last["to"] != "cancelled" || last["by"] != "anonymous" || last["reason"] != "cancelled: enough" {
		t.Errorf("its history ends with %v", last)
	}
	natstest.Eventually(t, "its room is free", func() bool { return s.status(t, "/oc/wf-1/check?duration=10m") == "available" })
}

// TestRunsOfOthers are not there for who is in none of the workflow's groups.
func TestRunsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	mine, theirs := s.as(t, access.User, "mine"), s.as(t, access.User, "theirs")
	path := s.begins(t, "wf-1", "wait", "running", "Authorization", mine)
	for _, hidden := range []string{"POST /oc/wf-1/runs", "GET " + path, "GET " + path + "/history", "GET " + path + "/events", "POST " + path + "/cancel"} {
		method, at, _ := strings.Cut(hidden, " ")
		s.do(t, method, at, "", "Authorization", theirs).problem(t, http.StatusNotFound)
	}
	if items := s.listed(t, "/runs", "Authorization", theirs); len(items) != 0 {
		t.Errorf("others see %v", items)
	}
	if run := s.do(t, http.MethodGet, path, "", "Authorization", mine).ok(t, http.StatusOK).json(t); run["state"] != "running" {
		t.Errorf("others did something to it: %v", run)
	}
}

// TestBadQuestionsAboutRuns get problems, and so do those about a record that nobody can read.
func TestBadQuestionsAboutRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	admin, user := s.as(t, access.Admin), s.as(t, access.User)
	for _, query := range []string{"state=waiting", "from=now", "to=1", "label=a:b", "limit=0", "cursor=."} {
		s.do(t, http.MethodGet, "/runs?"+query, "", "Authorization", admin).problem(t, http.StatusUnprocessableEntity)
	}
	s.do(t, http.MethodGet, "/runs/nix/history?cursor=bml4", "", "Authorization", admin).problem(t, http.StatusUnprocessableEntity)
	if _, err := s.js.Publish(t.Context(), plan.Runs.Prefix+"broken", []byte(`{"id":"broken"}`)); err != nil {
		t.Fatal(err)
	}
	for _, route := range []string{"GET /runs/%s", "GET /runs/%s/history", "GET /runs/%s/events", "POST /runs/%s/cancel"} {
		method, path, _ := strings.Cut(route, " ")
		s.do(t, method, fmt.Sprintf(path, "nix"), "", "Authorization", admin).problem(t, http.StatusNotFound)
		broken := s.do(t, method, fmt.Sprintf(path, "broken"), "", "Authorization", admin).problem(t, http.StatusNotFound)
		if detail := fmt.Sprint(broken["detail"]); !strings.Contains(detail, "nats kv get plan run.broken") {
			t.Errorf("%s: %s", route, detail)
		}
		if p := s.do(t, method, fmt.Sprintf(path, "broken"), "", "Authorization", user).problem(t, http.StatusNotFound); p["detail"] != "no such run" {
			t.Errorf("%s: %v", route, p)
		}
	}
}

// TestARunUnderWayGivesWay to who may displace it: its room is free at once, it ends, and who watches is told.
func TestARunUnderWayGivesWay(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 10)
	s.do(t, http.MethodPut, "/oc/wf-1", commanded("wf-1", "wait")).ok(t, http.StatusCreated)
	s.put(t, "wf-2", 8).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	path := s.do(t, http.MethodPost, "/oc/wf-1/runs", `{"preemptible":true}`).ok(t, http.StatusCreated).header.Get("Location")
	natstest.Eventually(t, "it runs", func() bool {
		return s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)["state"] == "running"
	})
	const question = `{"duration_s":60,"booking_mode":"preempted"}`
	if r := s.do(t, http.MethodPost, "/oc/wf-2/check", question).ok(t, http.StatusOK).json(t); r["status"] != "unavailable" || r["preemptible"] != true || r["available"] != true {
		t.Errorf("the check says %v", r)
	}
	s.do(t, http.MethodPost, "/oc/wf-2/schedules", `{"duration_s":60}`).problem(t, http.StatusConflict)
	made := s.do(t, http.MethodPost, "/oc/wf-2/schedules", question).ok(t, http.StatusCreated).json(t)
	ended := s.do(t, http.MethodGet, "/schedules?workflow=wf-1", "").ok(t, http.StatusOK).json(t)["items"].([]any)[0].(map[string]any)
	if reason := fmt.Sprint(ended["reason"]); ended["state"] != "ended" || !strings.HasPrefix(reason, "displaced: ") || strings.Contains(reason, fmt.Sprint(made["id"])) {
		t.Errorf("a schedule of which nothing is left is %v", ended)
	}
	var run map[string]any
	natstest.Eventually(t, "it is cancelled", func() bool {
		run = s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)
		return run["state"] == "cancelled"
	})
	if reason := fmt.Sprint(run["reason"]); !strings.HasPrefix(reason, "displaced: ") || strings.Contains(reason, fmt.Sprint(made["id"])) {
		t.Errorf("the run's reason is %q", reason)
	}
	again := s.do(t, http.MethodPost, "/oc/wf-2/schedules", question).problem(t, http.StatusConflict)
	if r := again["result"].(map[string]any); r["preemptible"] != false || r["available"] != false { // nor do the planner's slots give way
		t.Errorf("what does not give way does: %v", r)
	}
	was := s.do(t, http.MethodGet, fmt.Sprintf("/schedules/%v", run["schedule_id"]), "").ok(t, http.StatusOK).json(t)
	if o := was["occurrences"].([]any)[0].(map[string]any); o["state"] != "cancelled" {
		t.Errorf("its occurrence is %v", o)
	}
}

// TestARunThatWaitsGivesWay without ever having begun.
func TestARunThatWaitsGivesWay(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	path := s.do(t, http.MethodPost, "/oc/wf-1/runs", `{`+window+`,"preemptible":true}`).ok(t, http.StatusCreated).header.Get("Location")
	s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`,"preemption":true}`).ok(t, http.StatusCreated)
	if run := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t); run["state"] != "cancelled" || !strings.HasPrefix(fmt.Sprint(run["reason"]), "displaced: ") {
		t.Errorf("the run is %v", run)
	}
}
