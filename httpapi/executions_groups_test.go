package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/execution"
)

// TestExecutionsOfGroups: what a run has executed is there for those who see its workflow, what is written and
// cancelled for those of them who may change it, and what is of no run for operators.
func TestExecutionsOfGroups(t *testing.T) {
	t.Parallel()
	s, bearers := grouped(t)
	for _, id := range []string{"own", "foreign", "all", "gone", "none"} {
		e := execution.Execution{ExecutionID: "x-" + id, NodeID: "n", BookingID: "oc-1", State: execution.Cancelled, WorkflowID: id}
		if e.Of = (execution.Of{RunID: "r-" + id, ItemID: "align", Attempt: 2}); id == "none" {
			e.WorkflowID, e.Of = "own", execution.Of{}
		}
		if _, err := s.store.Executions.Create(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Eventually(t, "all are shown", func() bool { return s.store.Executions.View().Len() == 5 && s.store.Workflows.View().Len() == 3 })
	const ok, accepted, forbidden, missing = http.StatusOK, http.StatusAccepted, http.StatusForbidden, http.StatusNotFound
	for role, want := range map[string]struct {
		seen                 string
		read, output, cancel [2]int // of those that are seen, and of the others
	}{
		"viewer":   {"x-all x-own", [2]int{ok, missing}, [2]int{forbidden, forbidden}, [2]int{forbidden, forbidden}},
		"user":     {"x-all x-own", [2]int{ok, missing}, [2]int{ok, missing}, [2]int{accepted, missing}},
		"operator": {"x-all x-foreign x-gone x-none x-own", [2]int{ok, missing}, [2]int{ok, missing}, [2]int{accepted, missing}},
		"admin":    {"x-all x-foreign x-gone x-none x-own", [2]int{ok, missing}, [2]int{ok, missing}, [2]int{accepted, missing}},
	} {
		as := []string{"Authorization", bearers[role]}
		var seen []string
		for _, item := range s.listed(t, "/executions", as...) {
			seen = append(seen, item["execution_id"].(string))
		}
		if got := strings.Join(seen, " "); got != want.seen {
			t.Errorf("%s sees %s, want %s", role, got, want.seen)
		}
		for _, id := range []string{"own", "foreign", "all", "gone", "none", "never"} {
			which := 1
			if strings.Contains(want.seen+" ", "x-"+id+" ") {
				which = 0
			}
			of := s.listed(t, "/executions?run=r-"+id, as...)
			if (len(of) == 1) != (which == 0 && id != "none") {
				t.Errorf("%s sees %v of run r-%s", role, of, id)
			}
			if len(of) == 1 && (of[0]["run_id"] != "r-"+id || of[0]["item_id"] != "align" || of[0]["booking_id"] != "oc-1" || of[0]["attempt"] != 2.0) {
				t.Errorf("%s sees %v", role, of[0])
			}
			path := "/executions/x-" + id
			for deed, c := range map[string]struct {
				got  answer
				want int
			}{
				"read":   {s.do(t, http.MethodGet, path, "", as...), want.read[which]},
				"output": {s.do(t, http.MethodGet, path+"/logs", "", as...), want.output[which]},
				"cancel": {s.do(t, http.MethodPost, path+"/cancel", "", as...), want.cancel[which]},
			} {
				if c.got.status != c.want {
					t.Errorf("%s of x-%s as %s: %d %s, want %d", deed, id, role, c.got.status, c.got.body, c.want)
				}
			}
		}
	}
}

// TestOutputIsForThoseInTheGroups as they are now: who follows it is told no more once its workflow has gone to others.
func TestOutputIsForThoseInTheGroups(t *testing.T) {
	t.Parallel()
	s, bearers := grouped(t)
	n := s.node(t)
	e := execution.Execution{ExecutionID: "x", NodeID: "n", State: execution.Ordered, WorkflowID: "own"}
	e.Of = execution.Of{RunID: "r-1", ItemID: "align", Attempt: 1}
	if _, err := s.store.Executions.Create(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	out := n.output(t, "x")
	s.becomes(t, "x", execution.Running)
	path := "/executions/x/logs?follow=true"
	es := s.listen(t, path, "Authorization", bearers["user"])
	write(t, out.Stdout(), "ours\n")
	if v := es.must(t); v.name != "output" {
		t.Fatalf("the first event is %+v", v)
	}
	s.do(t, http.MethodPut, "/oc/own?group=foreign", sampleWorkflow("own", 8), "Authorization", bearers["admin"]).ok(t, http.StatusOK)
	natstest.Eventually(t, "it is no more", func() bool {
		return s.do(t, http.MethodGet, "/executions/x", "", "Authorization", bearers["user"]).status == http.StatusNotFound
	})
	write(t, out.Stdout(), "theirs\n")
	if v := es.must(t); v.name != "error" || !strings.Contains(v.data, "404") {
		t.Errorf("the last event is %+v", v)
	}
	es.end(t)
}
