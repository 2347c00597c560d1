package peer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer"
	"oc-scheduler/internal/peer/execute"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/id"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
)

// processes is a node that runs sh.
func processes(dir string) peer.Config {
	cfg := config(dir)
	cfg.Executor = execute.Config{Type: execute.KindProcess, Commands: []string{"sh"}, MaxConcurrent: 2}
	return cfg
}

func TestRunsExecutions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.node(t, processes(t.TempDir()))
	w.run(t, "x1", "sh", "-c", "echo hello; echo oops >&2; exit 3")
	w.run(t, "x2", "sh", "-c", "echo fine")
	w.run(t, "x3", "rm", "-rf", "/")
	if got := w.output(t, "x1"); got != "hello\noops\n" && got != "oops\nhello\n" {
		t.Errorf("output %q", got)
	}
	x1, x2 := w.reaches(t, "x1", execution.Failed), w.reaches(t, "x2", execution.Completed)
	if x1.ExitCode == nil || *x1.ExitCode != 3 || x1.Reason != "exit code 3" || x1.QueuedAt.IsZero() || x1.StartedAt.IsZero() || x1.EndedAt.IsZero() {
		t.Errorf("%+v", x1)
	}
	if x2.ExitCode == nil || *x2.ExitCode != 0 || x2.Reason != "" {
		t.Errorf("%+v", x2)
	}
	if x3 := w.reaches(t, "x3", execution.Failed); x3.Reason != `command "rm" is not listed on this node` || x3.ExitCode != nil {
		t.Errorf("%+v", x3)
	}
}

// TestAnOrderThatComesTwice has one effect.
func TestAnOrderThatComesTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.node(t, processes(t.TempDir()))
	file := filepath.Join(t.TempDir(), "runs")
	order := nclprotocol.RunExecution{ExecutionID: "x", Command: []string{"sh", "-c", `echo once >>"$1"`, "sh", file}}
	for range 5 {
		if err := w.orders.Send(t.Context(), "n1", order); err != nil {
			t.Fatal(err)
		}
	}
	w.run(t, "last", "sh", "-c", "true")
	w.reaches(t, "x", execution.Completed)
	w.reaches(t, "last", execution.Completed)
	if runs, err := os.ReadFile(file); err != nil || string(runs) != "once\n" {
		t.Errorf("%q, %v", runs, err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := processes(t.TempDir())
	cfg.Executor.MaxConcurrent = 1
	cfg.Executor.Grace = 100 * time.Millisecond
	w.node(t, cfg)
	cancel := func(executionID string) {
		t.Helper()
		if err := w.orders.Send(t.Context(), "n1", nclprotocol.CancelExecution{ExecutionID: executionID, Reason: "not wanted"}); err != nil {
			t.Fatal(err)
		}
	}
	cancel("early") // before its order
	w.run(t, "running", "sh", "-c", "trap '' TERM; echo started; sleep 300")
	w.reaches(t, "running", execution.Running)
	w.run(t, "waiting", "sh", "-c", "echo never")
	w.reaches(t, "waiting", execution.Queued)
	cancel("waiting")
	w.reaches(t, "waiting", execution.Cancelled)
	natstest.Eventually(t, "it has said so", func() bool { return w.printed(t, "running") == "started\n" })
	cancel("running")
	x := w.reaches(t, "running", execution.Cancelled)
	if x.Reason != "not wanted" || x.ExitCode != nil {
		t.Errorf("%+v", x)
	}
	if got := w.output(t, "running"); got != "started\n" {
		t.Errorf("output of a cancelled execution: %q", got)
	}
	if err := w.orders.Send(t.Context(), "n1", nclprotocol.RunExecution{ExecutionID: "early", Command: []string{"sh", "-c", "true"}}); err != nil {
		t.Fatal(err)
	}
	w.run(t, "last", "sh", "-c", "true")
	w.reaches(t, "last", execution.Completed)
	w.reaches(t, "early", execution.Cancelled)
	cancel("last") // too late
	w.run(t, "after", "sh", "-c", "true")
	w.reaches(t, "after", execution.Completed)
	w.reaches(t, "last", execution.Completed)
}

func TestBoundedConcurrency(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := processes(t.TempDir())
	cfg.Executor.MaxQueued = 3
	w.node(t, cfg)
	gate := filepath.Join(t.TempDir(), "gate")
	wait := []string{"sh", "-c", `until test -e "$1"; do sleep 0.05; done`, "sh", gate}
	for _, x := range []string{"x1", "x2"} {
		w.run(t, x, wait...)
		w.reaches(t, x, execution.Running)
	}
	for _, x := range []string{"x3", "x4", "x5"} {
		w.run(t, x, wait...)
		w.reaches(t, x, execution.Queued)
	}
	w.run(t, "x6", wait...)
	if x := w.reaches(t, "x6", execution.Failed); x.Reason != "too many executions wait on this node" {
		t.Errorf("%+v", x)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	last := w.execution("x1")
	for _, x := range []string{"x1", "x2", "x3", "x4", "x5"} {
		next := w.reaches(t, x, execution.Completed)
		if next.StartedAt.Before(last.StartedAt) {
			t.Errorf("%s started before the one before it", x)
		}
		last = next
	}
}

func TestStopAndStartAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := processes(t.TempDir())
	cfg.Executor.MaxConcurrent = 1
	stop := w.node(t, cfg)
	w.run(t, "x1", "sh", "-c", "echo $$; sleep 300")
	w.reaches(t, "x1", execution.Running)
	w.run(t, "x2", "sh", "-c", "echo later")
	w.reaches(t, "x2", execution.Queued)
	stop()
	natstest.Eventually(t, "the node is gone", func() bool {
		entry, _ := w.store.Nodes.View().Get("n1")
		return entry.Value.State == "gone"
	})
	w.run(t, "x3", "sh", "-c", "echo meanwhile")
	w.node(t, cfg)
	if x := w.reaches(t, "x1", execution.Failed); x.Reason != "node stopped" {
		t.Errorf("%+v", x)
	}
	w.reaches(t, "x2", execution.Completed)
	w.reaches(t, "x3", execution.Completed)
	if got := w.output(t, "x2") + w.output(t, "x3"); got != "later\nmeanwhile\n" {
		t.Errorf("output %q", got)
	}
}

func TestMuchOutputIsCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := processes(t.TempDir())
	cfg.Output.MaxMB = 1
	w.node(t, cfg)
	w.run(t, "x", "sh", "-c", "head -c 20000000 /dev/zero | tr '\\0' x")
	w.reaches(t, "x", execution.Completed)
	got := w.output(t, "x")
	if len(got) < 900_000 || len(got) > 1_100_000 || !strings.Contains(got[len(got)-200:], "[") {
		t.Errorf("%d bytes, the last: %s", len(got), got[max(len(got)-200, 0):])
	}
}

func TestSleepIsTheDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.node(t, config(t.TempDir()))
	w.run(t, "x1", "sleep", "0.01")
	w.run(t, "x2", "sh", "-c", "true")
	w.reaches(t, "x1", execution.Completed)
	w.reaches(t, "x2", execution.Failed)
	if got := w.output(t, "x1"); got != "slept 0s of 10ms\nslept 10ms of 10ms\n" {
		t.Errorf("output %q", got)
	}
}

// TestTheLongestNames: what is a name to the scheduler is one to files and to NATS, however many bytes
// its letters take there.
func TestTheLongestNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := processes(t.TempDir())
	cfg.PeerID, cfg.NodeID = strings.Repeat("п", id.MaxBytes/2), strings.Repeat("/", id.MaxBytes)
	w.node(t, cfg)
	for _, name := range []string{strings.Repeat("é", id.MaxBytes/2), strings.Repeat("é", id.MaxBytes/2-1) + "è", "../x", strings.Repeat("~", id.MaxBytes)} {
		order := execution.Order{ExecutionID: name, Command: []string{"sh", "-c", `echo "$OC_EXECUTION_ID"; basename "$PWD" | wc -c`}}
		if _, err := w.orders.Execute(t.Context(), cfg.NodeID, order); err != nil {
			t.Fatal(err)
		}
		if x := w.reaches(t, name, execution.Completed); x.Reason != "" {
			t.Errorf("%+v", x)
		}
		if got := w.readOf(t, cfg.NodeID, logstream.Request{ExecutionID: name}); got != fmt.Sprintf("%s\n%d\n", name, min(len(id.Key(name)), 64)+1) {
			t.Errorf("output %q", got)
		}
	}
}
