package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"oc-scheduler/events"
)

// writers are the command lines that write something, by command; those of a service that writes nothing
// but its log are none. %x is an execution that has ended, %s a
// schedule, %h a hold, %c another, %r a run.
var writers = map[string][]string{
	"serve":            nil,
	"peer":             nil,
	"demo-peer":        nil,
	"demo":             {"demo --listen 127.0.0.1:0 --nats-listen off --log-level error"},
	"check":            {"check wf --duration 1h", "check wf --duration 1h -o json", "check wf --duration 1h --watch", "check wf --duration 1h --watch -o json"},
	"schedule":         {"schedule wf --duration 1s", "schedule wf --duration 1s -o json", "schedule wf --duration 1s --wait", "schedule wf --duration 1s --wait -o json"},
	"schedules list":   {"schedules", "schedules -o json", "schedules %s", "schedules %s -o json"},
	"schedules show":   {"schedules show %s"},
	"schedules pause":  {"schedules pause %s", "schedules pause %s -o json"},
	"schedules resume": {"schedules resume %s", "schedules resume %s -o json"},
	"schedules cancel": {"schedules cancel %h", "schedules cancel %h -o json"}, // of a hold: again, too
	"start":            {"start wf --duration 1s", "start wf --duration 1s -o json", "start wf --duration 1s -f", "start wf --duration 1s -f -o json"},
	"runs list":        {"runs", "runs -o json", "runs %r", "runs %r -o json", "runs -w -o name"},
	"runs show":        {"runs show %r"},
	"runs cancel":      {"runs cancel %r", "runs cancel %r -o json"},
	"history":          {"history %r", "history %r -o json"},
	"next":             {"next %s", "next %s -o json"},
	"preview":          {"preview wf --duration 1h", "preview wf --duration 1h -o json"},
	"hold":             {"hold wf --duration 1h", "hold wf --duration 1h -o json"},
	"confirm":          {"confirm %c"},
	"planners list":    {"planners", "planners -o json", "planners site", "planners site -o json"},
	"planners show":    {"planners show site", "planners show site -o yaml"},
	"workflows list":   {"workflows", "workflows -o json", "workflows -w"},
	"workflows show":   {"workflows show wf", "workflows show wf -o yaml"},
	"workflows put":    {"workflows put ../../testdata/workflows/steps.json", "workflows put ../../testdata/workflows/steps.json -o json"},
	"workflows remove": nil, // whose one line needs a workflow of its own each time
	"nodes list":       {"nodes", "nodes -o json", "nodes n1", "nodes list n1 -o json", "nodes -w", "nodes -w -o json"},
	"nodes show":       {"nodes show n1", "nodes show n1 -o name"},
	"nodes approve":    {"nodes approve n1", "nodes approve n1 -o json"},
	"nodes reject":     {"nodes reject n2", "nodes reject n2 -o json"},
	"nodes remove":     {"nodes remove n3"},
	"run":              {"run n1 -- sh -c pwd", "run -d n1 -- sh -c pwd", "run --id written n1 -- sh -c pwd"},
	"executions list":  {"executions", "executions -o json", "executions %x", "executions %x -o json"},
	"executions show":  {"executions show %x"},
	"logs":             {"logs %x", "logs -f %x", "logs -n 1 %x"},
	"cancel":           {"cancel %x", "cancel %x -o json"},
	"token create":     {"token create n --role viewer"},
	"token list":       {"token list", "token list -o json"},
	"token revoke":     nil, // whose one line needs a token of its own each time
	"context list":     {"context list -o json", "context"},
	"context use":      nil, // which write a file, too
	"context set":      nil,
	"context remove":   nil,
	"dead":             {"dead", "dead -o json"},
	"backup":           nil, // whose file is written once, by its own test
	"restore":          nil, // which refuses while replicas live
	"nats-config":      {"nats-config --node n1"},
	"completion":       {"completion bash", "completion zsh", "completion fish"},
	"man":              {"man"},
	"import wfformat":  nil, // whose files are made by their own test
	"import swf":       nil,
	"doctor":           {"doctor", "doctor -o json"},
	"version":          {"version", "--version", "version -o json"},
}

// writerSite is a site at which each of the writers has something to write.
func writerSite(t *testing.T) (env map[string]string, ids *strings.Replacer) {
	t.Helper()
	s := startSite(t)
	s.peer(t)
	s.publishWorkflow(t, []byte(`{"id":"wf","graph":{"items":{"n":{"compute":{"id":"gpu","peer_id":"site","demand":{"gpus":1}}}}}}`))
	s.knock(t, "n2")
	s.knock(t, "n3")
	executionID := s.sh(t, "echo out")
	s.reaches(t, executionID, "completed")
	if err := s.bus.Publish(events.CreateResource, []byte("nobody can use this")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a dead letter", func() bool { return strings.Contains(s.ask(t, "dead").stdout, events.CreateResource) })
	eventually(t, "the workflow", func() bool { return s.ask(t, "workflows").code == exitOK })
	watcher := s.follow(t, "check", "wf", "--duration", "1h", "--watch") // whom there is a planner for
	eventually(t, "somebody watches", func() bool { return watcher.shown() != "" })
	eventually(t, "the planner", func() bool { return s.ask(t, "planners", "site").code == exitOK })
	booked := func(command string, flags ...string) string {
		t.Helper()
		return idIn(t, s.ask(t, command, append(flags, "wf", "--start", tomorrow(9), "--duration", "1h", "-o", "json")...))
	}
	ids = strings.NewReplacer("%x", executionID, "%s", booked("schedule"), "%h", booked("hold"), "%c", booked("hold", "--ttl", "15m"), "%r", booked("start"))
	return map[string]string{"OC_SERVER": s.url, "OC_NATS_URL": s.bus.ConnectedUrl()}, ids
}

// TestOutputThatCannotBeWritten runs each command with an output that takes nothing: it says so in one line
// and fails, and does not try for ever. A reader who has gone is told nothing, as the shell tells it.
func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	env, ids := writerSite(t)
	for _, leaf := range leaves(t) {
		command := strings.TrimPrefix(leaf.FullPath(), "oc-scheduler ")
		lines, known := writers[command]
		if !known {
			t.Errorf("%s: what does it write?", command)
		}
		for _, line := range append([]string{command + " --help"}, lines...) {
			of := env
			if strings.HasPrefix(line, "demo ") {
				of = nil
			}
			args := strings.Fields(ids.Replace(line))
			t.Run("full "+line, func(t *testing.T) {
				t.Parallel()
				full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = full.Close() }()
				code, stderr := writeInto(t, full, of, args)
				said := "oc-scheduler: writing to standard output: no space left on device"
				if format := formatOf(args, lookupIn(nil)); format == "json" {
					said = `{"error":"writing to standard output: no space left on device`
				} else if format == "yaml" {
					said = "error: 'writing to standard output: no space left on device"
				}
				if code != exitFailure || strings.Count(stderr, "\n") > 2 || !strings.HasPrefix(stderr, said) {
					t.Errorf("code %d: %s", code, stderr)
				}
				if args[0] == "run" && args[1] != "--help" && !strings.Contains(stderr, "oc-scheduler logs -f ") {
					t.Errorf("of what runs it says nothing: %s", stderr)
				}
			})
			if strings.Contains(line, "remove n3") || strings.Contains(line, "--id") || strings.Contains(line, "%c") {
				continue // it is done already
			}
			t.Run("gone "+line, func(t *testing.T) {
				t.Parallel()
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = w.Close() }()
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
				if code, stderr := writeInto(t, w, of, args); code != exitSignal+13 || stderr != "" {
					t.Errorf("code %d: %s", code, stderr)
				}
			})
		}
	}
}

func writeInto(t *testing.T, stdout io.Writer, env map[string]string, args []string) (code int, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var told bytes.Buffer
	code = run(ctx, args, lookupIn(env), stdout, &told)
	return code, told.String()
}

// TestErrorsOfAnExecutionThatCannotBeWritten is about the other output of a program.
func TestErrorsOfAnExecutionThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.peer(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = full.Close() }()
	var stdout bytes.Buffer
	args := []string{"run", "n1", "--server", s.url, "--", "sh", "-c", "echo oops >&2"}
	if code := run(t.Context(), args, lookupIn(nil), &stdout, full); code != exitFailure {
		t.Errorf("code %d, %s", code, stdout.String())
	}
}
