//go:build long

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	runs "oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// TestAWorkflowChangesUnderItsRun, which does what it was booked for, though the workflow has other steps by then and then
// is none any more; what has not begun is given back.
func TestAWorkflowChangesUnderItsRun(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.shNode(t, "n1", "gpu")
	gate := filepath.Join(t.TempDir(), "gate")
	steps := func(first, second string) []byte {
		return fmt.Appendf(nil, `{"id":"w","graph":{"items":{
			%q:{"processing":{"command":["sh","-c","until [ -e %s ]; do sleep 0.1; done; echo done"],"duration_s":30}},
			%q:{"processing":{"command":["sh","-c","echo %s"],"duration_s":60}},
			"c":{"compute":{"id":"gpu","peer_id":"site","demand":{"gpus":1}}}},
			"links":[{"source":%q,"destination":%q},{"source":%q,"destination":"c"},{"source":%q,"destination":"c"}]}}`,
			first, gate, second, second, first, second, first, second)
	}
	s.publishWorkflow(t, steps("n1", "n2"))
	eventually(t, "it can run", func() bool { return s.ask(t, "check", "w").code == exitOK })
	now := idIn(t, s.ask(t, "schedule", "w", "--start", "now", "-o", "json"))
	later := idIn(t, s.ask(t, "schedule", "w", "--start", "now+24h", "-o", "json"))
	eventually(t, "its first step runs", func() bool { return s.runOf(t, now).Steps[0].State == runs.Running })
	s.publishWorkflow(t, steps("n1", "n3"))
	eventually(t, "the workflow is another", func() bool { return strings.Contains(s.ask(t, "workflows", "show", "w").stdout, "n3") })
	s.says(t, exitOK, "workflows remove w")
	eventually(t, "what has not begun is given back", func() bool {
		var of schedule.Schedule
		got := s.ask(t, "schedules", later, "-o", "json")
		return json.Unmarshal([]byte(got.stdout), &of) == nil && of.State == schedule.Ended && of.Occurrences[0].State == "cancelled"
	})
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var r runs.Run
	eventually(t, "the run ends", func() bool { r = s.runOf(t, now); return r.State.Final() })
	if r.State != runs.Completed || len(r.Steps) != 2 || r.Steps[1].ItemID != "n2" || r.Steps[1].State != runs.Completed {
		t.Errorf("%s %s: %+v", r.State, r.Reason, r.Steps)
	}
	s.nothingBooked(t)
}

// TestStartsBesideADyingNode: whatever is started between a node's death and the moment that it is missed ends, says why, and
// gives back what it took; from then on nothing is started, and the planner says that there is nothing.
func TestStartsBesideADyingNode(t *testing.T) {
	t.Parallel()
	s := startSite(t, "--node-grace", "1s")
	die := s.shNode(t, "n1", "gpu")
	s.publishWorkflow(t, []byte(`{"id":"w","graph":{"items":{"n":{"processing":{"command":["sh","-c","exec sleep 600"],"duration_s":30}},
		"c":{"compute":{"id":"gpu","peer_id":"site","demand":{"gpus":1}}}},"links":[{"source":"n","destination":"c"}]}}`))
	eventually(t, "it can run", func() bool { return s.ask(t, "check", "w").code == exitOK })
	die()
	var begun []string
	eventually(t, "nothing can be started", func() bool {
		status, body := s.startRun(t, "w")
		if status == http.StatusCreated {
			begun = append(begun, body.ID)
		} else if status != http.StatusConflict {
			t.Errorf("a start is answered %d", status)
		}
		return status == http.StatusConflict && !s.available(t, "w")
	})
	t.Logf("%d were started meanwhile", len(begun))
	for _, id := range begun {
		var r runs.Run
		eventually(t, "it ends", func() bool {
			got := s.ask(t, "runs", id, "-o", "json")
			return json.Unmarshal([]byte(got.stdout), &r) == nil && r.State.Final()
		})
		if r.State != runs.Failed || !strings.HasPrefix(r.Reason, "node lost") && !strings.HasPrefix(r.Reason, "no node") {
			t.Errorf("%s %s", r.State, r.Reason)
		}
	}
	s.nothingBooked(t)
	if got := s.ask(t, "planners", "site"); got.code != exitOK || strings.Contains(got.stdout, "gpu") {
		t.Errorf("the planner: %+v", got)
	}
}

// nothingBooked waits until nothing stands on any instance.
func (s *site) nothingBooked(t *testing.T) {
	t.Helper()
	eventually(t, "nothing is booked", func() bool {
		return strings.Contains(s.ask(t, "doctor", "--nats-url", s.bus.ConnectedUrl()).stdout, " 0 bookings")
	})
}

// available says what a check says now.
func (s *site) available(t *testing.T, workflowID string) bool {
	t.Helper()
	return s.ask(t, "check", workflowID, "--start", time.Now().UTC().Format(time.RFC3339), "--duration", "1m").code == exitOK
}

// startRun posts a run.
func (s *site) startRun(t *testing.T, workflowID string) (status int, made runs.Run) {
	t.Helper()
	resp, err := http.Post(s.url+"/oc/"+workflowID+"/runs", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	_ = json.NewDecoder(resp.Body).Decode(&made)
	return resp.StatusCode, made
}
