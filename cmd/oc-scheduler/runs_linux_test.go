package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	runs "oc-scheduler/store/run"
)

// runnable is a site with a node and workflows of one step: each has a command, by its name.
func runnable(t *testing.T, scripts map[string]string) *site {
	t.Helper()
	s := startSite(t)
	s.peer(t)
	for name, script := range scripts {
		s.publishWorkflow(t, fmt.Appendf(nil, `{"id":%q,"graph":{"items":{"s":{"processing":{"command":["sh","-c",%q],"duration_s":600}},
			"n":{"compute":{"id":"gpu","peer_id":"site","demand":{"gpus":1}}}},"links":[{"source":"s","destination":"n"}]}}`, name, script))
	}
	eventually(t, "the workflows", func() bool { return strings.Count(s.ask(t, "workflows").stdout, "\n") == 1+len(scripts) })
	return s
}

// TestRunsFromTheCommandLine, from their start to their end on a node.
func TestRunsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := runnable(t, map[string]string{"good": "echo out", "bad": "exit 7", "long": "sleep 600"})
	s.says(t, exitOK, "start good -f --label a=b", "a=b", "step s: completed\n", ": completed\n")
	got := s.ask(t, "start", "bad", "-f", "-o", "json")
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	var bad runs.Run
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &bad); err != nil || got.code != exitIncomplete || bad.State != runs.Failed || got.stderr != "" {
		t.Errorf("%+v, %v", got, err)
	}
	s.says(t, exitOK, "runs "+bad.ID, "bad", "failed: step failed", "STEP", "EXECUTION", bad.Steps[0].Executions[0].ExecutionID, "n1", "7")
	s.says(t, exitOK, "logs "+s.executionOf(t, "good"), "out")
	s.says(t, exitOK, "runs", "RUN", "good", "completed", "bad", "step failed: ")
	s.says(t, exitOK, "runs -o json --state failed --schedule "+bad.ScheduleID, `"id": "`+bad.ID)
	for _, none := range []string{"--workflow nix", "--state missed", "--to 2020-01-01T00:00:00Z", "--from 2100-01-01T00:00:00Z", "--schedule s-1"} {
		if got := s.ask(t, "runs", strings.Fields(none)...); got.code != exitOK || strings.Count(got.stdout, "\n") != 1 {
			t.Errorf("%s: %+v", none, got)
		}
	}
	s.says(t, exitOK, "history "+bad.ID, "WHAT", "run ", "step s", "scheduled", "node:n1", "step failed: ")
	s.says(t, exitOK, "history -o json "+bad.ID, `"seq": 1`, `"by": "anonymous"`)
	long := idIn(t, s.ask(t, "start", "long", "-o", "json"))
	eventually(t, "it runs", func() bool { return strings.Contains(s.ask(t, "runs", long).stdout, "running") })
	s.says(t, exitOK, "runs cancel --reason enough "+long, long+" is ")
	eventually(t, "it is cancelled", func() bool {
		return strings.Contains(s.ask(t, "runs", long).stdout, "cancelled: enough")
	})
	s.says(t, exitOK, "runs cancel "+long, long+" is cancelled")
	s.says(t, exitOK, "runs cancel "+bad.ID, bad.ID+" had ended: failed")
	for faults, words := range map[string][]string{
		"runs --state waiting":      {"--state: must be"},
		"runs --from noon --to 1":   {"--from: ", "--to: "},
		"runs r-1":                  {`run "r-1": no such run`},
		"runs cancel r-1":           {`run "r-1": no such run`},
		"history r-1":               {`run "r-1": no such run`},
		"start nix":                 {`workflow "nix": no such workflow`},
		"start good --catch-up 25h": {"--catch-up: must be"},
	} {
		s.says(t, exitFailure, faults, words...)
	}
}

// TestACancelledScheduleEndsItsRuns only where that is asked for.
func TestACancelledScheduleEndsItsRuns(t *testing.T) {
	t.Parallel()
	s := runnable(t, map[string]string{"long": "sleep 600"})
	var r runs.Run
	id := idIn(t, s.ask(t, "start", "long", "-o", "json"))
	eventually(t, "it runs", func() bool { return strings.Contains(s.ask(t, "runs", id).stdout, "running") })
	if err := json.Unmarshal([]byte(s.ask(t, "runs", id, "-o", "json").stdout), &r); err != nil {
		t.Fatal(err)
	}
	s.says(t, exitFailure, "schedules cancel --runs end "+r.ScheduleID, "--runs")
	for _, kept := range []string{"", " --runs keep"} {
		s.says(t, exitOK, "schedules cancel "+r.ScheduleID+kept, "is cancelled")
		s.says(t, exitOK, "runs "+id, "running")
	}
	s.says(t, exitOK, "schedules cancel --runs cancel "+r.ScheduleID, "is cancelled")
	eventually(t, "the run has ended", func() bool {
		return strings.Contains(s.ask(t, "runs", id).stdout, "cancelled: its schedule was")
	})
}

// executionOf is the execution of a workflow's run.
func (s *site) executionOf(t *testing.T, workflowID string) string {
	t.Helper()
	var list []runs.Run
	if err := json.Unmarshal([]byte(s.ask(t, "runs", "--workflow", workflowID, "-o", "json").stdout), &list); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	var r runs.Run
	if err := json.Unmarshal([]byte(s.ask(t, "runs", list[0].ID, "-o", "json").stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r.Steps[0].Executions[0].ExecutionID
}
