package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	runs "oc-scheduler/store/run"
)

// TestExecutionsTellWhatRan, since when and how long, and which of them are asked for.
func TestExecutionsTellWhatRan(t *testing.T) {
	t.Parallel()
	s := runnable(t, map[string]string{"good": "true"})
	r := s.ask(t, "start", "good", "-f", "-o", "json")
	var done runs.Run
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &done); err != nil || r.code != exitOK {
		t.Fatalf("%+v, %v", r, err)
	}
	failed := s.sh(t, "exit 3")
	s.reaches(t, failed, "failed")
	got := s.ask(t, "executions")
	const at = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`
	want := regexp.MustCompile(`^EXECUTION +NODE +STATE +WHAT +SINCE +TOOK +EXIT +REASON\n` +
		failed + ` +n1 +failed +sh -c exit 3 +` + at + ` +\S+s +3 +\S.*\nx-\S+ +n1 +completed +good/s +` + at + ` +\S+s +0 +-\n$`)
	if got.code != exitOK || !want.MatchString(got.stdout) {
		t.Errorf("%+v", got)
	}
	for flags, ids := range map[string]string{
		"--run " + done.ID:                 done.Steps[0].Executions[0].ExecutionID,
		"--state failed":                   failed,
		"--limit 1":                        failed,
		"-n 1 --node n1 --state completed": done.Steps[0].Executions[0].ExecutionID,
		"--node n2":                        "",
		"--state failed --run " + done.ID:  "",
	} {
		if got := s.ask(t, "executions", append(strings.Fields(flags), "-o", "name")...); got.code != exitOK || strings.TrimSpace(got.stdout) != ids {
			t.Errorf("%s: %+v, want %s", flags, got, ids)
		}
	}
	s.says(t, exitFailure, "executions --state waiting", "--state: must be one of ordered")
	s.says(t, exitFailure, "executions --limit=-1", "--limit: must not be below zero")
	s.says(t, exitOK, "executions show "+failed, "command", "sh -c exit 3", "took")
	s.says(t, exitOK, "nodes show n1", "n1", "connected")
	s.says(t, exitOK, "nodes show n1 -o yaml", "node_id: n1\n")
	if got := s.ask(t, "nodes", "--no-headers"); strings.Contains(got.stdout, "MEMBERSHIP") || !strings.HasPrefix(got.stdout, "n1 ") {
		t.Errorf("%+v", got)
	}
}

// TestWorkflowsFromTheCommandLine: put, shown, changed and removed; a name that is also a command is a name.
func TestWorkflowsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	const steps = "../../testdata/workflows/steps.json"
	s.says(t, exitOK, "workflows put "+steps, "workflow steps is there\n")
	s.says(t, exitOK, "workflows put -o json "+steps, `"id": "steps"`)
	file := func(doc string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "wf.json")
		if err := os.WriteFile(name, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	s.says(t, exitOK, "workflows put "+file(strings.Replace(read(t, steps), `"id": "steps"`, `"id": "put"`, 1)), "workflow put is there\n")
	s.says(t, exitOK, "workflows show put", "three steps on two peers", "fetch --all", "30m0s", "fetch, pause", "archive", "gb=10")
	s.says(t, exitOK, "workflows show steps -o json", `"name": "three steps on two peers"`)
	s.says(t, exitOK, "workflows put "+steps, "workflow steps is changed\n")
	s.says(t, exitFailure, "workflows put "+file(`{"id":"bad","graph":{"items":{"p":{"processing":{"duration_s":-1}}}}}`), "duration_s")
	s.says(t, exitFailure, "workflows put "+file(`{"graph":{}}`), "id: ")
	s.says(t, exitFailure, "workflows put run_test.go", "run_test.go: ")
	s.says(t, exitFailure, "workflows put /nonexistent", "/nonexistent")
	s.says(t, exitOK, "workflows remove put", "workflow put is removed\n")
	s.says(t, exitFailure, "workflows show put", `workflow "put": no such workflow`)
	s.says(t, exitFailure, "workflows remove put", `workflow "put": no such workflow`)
}

// TestAListIsWatched: elsewhere than on a terminal each change is a line, for people and for programs.
func TestAListIsWatched(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	put := func(id, name string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "wf.json")
		if err := os.WriteFile(file, []byte(`{"id":"`+id+`","name":"`+name+`","graph":{"items":{}}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		s.says(t, exitOK, "workflows put "+file, id)
	}
	put("a", "one")
	lines, docs := s.follow(t, "workflows", "-w"), s.follow(t, "workflows", "--watch", "-o", "json")
	ctx, interrupt := context.WithCancel(t.Context())
	screen, end := onTerminal(ctx, t, map[string]string{"OC_SERVER": s.url}, "workflows", "-w")
	until := func(change, name string) {
		t.Helper()
		eventually(t, change, func() bool {
			return strings.Contains(lines.shown(), "Z\t"+change+"\ta\t"+name+"\t") && strings.Contains(docs.shown(), `"change":"`+change+`","item":{"id":"a","name":"`+name+`"`)
		})
	}
	until("listed", "one")
	put("a", "two")
	until("changed", "two")
	eventually(t, "drawn anew", func() bool {
		return strings.Contains(screen.shows(), "two") && !strings.Contains(screen.shows(), "one")
	})
	s.says(t, exitOK, "workflows remove a", "removed")
	until("removed", "two")
	put("a", "three")
	until("added", "three")
	if got := lines.shown(); !strings.HasPrefix(got, "AT\tCHANGE\tWORKFLOW\tNAME\t") || strings.Count(got, "\n") != 5 {
		t.Errorf("%s", got)
	}
	interrupt()
	if got := <-end; got.code != exitOK || got.stderr != "" || strings.Count(got.stdout, "WORKFLOW") != 1 {
		t.Errorf("%+v", got)
	}
}

// TestWhatRunsForPrograms: what is printed, and how it ended, are documents.
func TestWhatRunsForPrograms(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.peer(t)
	const end = `"state":"failed"`
	got := s.ask(t, "run", "-o", "json", "--id", "x1", "n1", "--", "sh", "-c", "echo out; exit 3")
	if got.code != 3 || !strings.HasPrefix(got.stdout, `{"source":"stdout","text":"out\n"}`+"\n"+`{"execution_id":"x1"`) || !strings.Contains(got.stdout, end) || strings.Count(got.stdout, "\n") != 2 {
		t.Errorf("%+v", got)
	}
	if again := s.ask(t, "logs", "x1", "-o", "json"); again.stdout != got.stdout {
		t.Errorf("%+v", again)
	}
	if got := s.ask(t, "run", "-d", "-o", "json", "--id", "x2", "n1", "--", "sh", "-c", "true"); got.code != exitOK || !strings.Contains(got.stdout, `"execution_id": "x2"`) {
		t.Errorf("%+v", got)
	}
}
