package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer/execute"
	runs "oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// asProgram makes the test binary the program itself.
const asProgram = "OC_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	execute.Keep()
	if os.Getenv(asProgram) != "" || len(os.Args) > 1 && os.Args[1] == "demo-peer" { // the demo starts its nodes so
		main()
	}
	natstest.VerifyTestMain(m)
}

// service is the program, serving in this process.
type service struct {
	dir    string
	server string // its HTTP address
	nats   string // its NATS URL
	stop   context.CancelFunc
	exit   chan int
	stderr bytes.Buffer // to be read after exit
}

// begin runs serve or demo with the embedded NATS server on ports that are picked, until it is ready.
func begin(t *testing.T, command string, args ...string) *service {
	t.Helper()
	s := &service{dir: t.TempDir(), exit: make(chan int, 1)}
	file := func(name string) string { return filepath.Join(s.dir, name) }
	args = append([]string{
		command, "--listen", "127.0.0.1:0", "--nats-listen", "127.0.0.1:0", "--drain-grace", "0s", "--log-level", "error",
		"--listen-file", file("http"), "--nats-listen-file", file("nats"), "--ready-file", file("ready"),
	}, args...)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	stdout, w := io.Pipe()
	go func() {
		s.exit <- run(ctx, args, lookupIn(nil), w, &s.stderr)
		_ = w.Close()
	}()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, stdout)
	}()
	t.Cleanup(func() { s.end(t); <-drained })
	eventually(t, command+" is ready", func() bool { _, err := os.Stat(file("ready")); return err == nil })
	s.server, s.nats = read(t, file("http")), read(t, file("nats"))
	return s
}

// end drains the service and returns its exit code.
func (s *service) end(t *testing.T) int {
	t.Helper()
	s.stop()
	select {
	case code := <-s.exit:
		s.exit <- code
		return code
	case <-time.After(patience):
		t.Fatal("the service does not end")
		return -1
	}
}

// put stores a workflow that needs 4 of peer-a's GPUs.
func (s *service) put(t *testing.T) {
	t.Helper()
	const doc = `{"id": "wf", "name": "a name", "graph": {"items": {"n1": {"compute": {"id": "gpu", "peer_id": "peer-a", "demand": {"gpus": 4}}}}}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+s.server+"/oc/wf", strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("PUT: %v, %v", resp.Status, err)
	}
}

// publish sends a planner of peer-a, which has 8 GPUs and books some of them for all of December.
func (s *service) publish(t *testing.T, booked int) {
	t.Helper()
	planner := fmt.Sprintf(`{"peer_id": "peer-a", "generated_at": %q, "capacities": {"gpu": {"i0": {"gpus": 8}}},
  "schedule": {"gpu": [{"start": "2100-12-01T00:00:00Z", "end": "2101-01-01T00:00:00Z", "instance_id": "i0",
                        "booking_id": "b-1", "usage": {"gpus": %d}}]}}`, time.Now().UTC().Format(time.RFC3339Nano), booked)
	payload, err := json.Marshal(map[string]any{"action": "PB_PLANNER", "payload": json.RawMessage(planner)})
	if err != nil {
		t.Fatal(err)
	}
	message, err := events.Envelope{FromApp: "oc-discovery", Payload: payload}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(s.nats)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if err := nc.Publish(events.Propagation, message); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

// TestServeAndAsk starts the program and asks it with each of its commands.
func TestServeAndAsk(t *testing.T) {
	t.Parallel()
	s := begin(t, "serve", "--data-dir", t.TempDir())
	ask := func(command string) outcome {
		return invoke(t, map[string]string{"OC_SERVER": s.server}, strings.Fields(command)...)
	}
	const check = "check wf --duration 1h --as-possible"

	if got := ask(check); got.code != exitFailure || !strings.Contains(got.stderr, `workflow "wf": no such workflow`) {
		t.Errorf("unknown workflow: %+v", got)
	}
	s.put(t)
	eventually(t, "an unknown answer", func() bool { return ask(check).code == exitUnknown })
	if got := ask(check); !strings.Contains(got.stdout, "missing planners: peer-a") || !strings.Contains(got.stdout, "--wait") {
		t.Errorf("missing planner: %s", got.stdout)
	}
	for faulty, want := range map[string]string{
		"--start soon --duration 1h":                     "oc-scheduler: --start: must be a time such as now+2h",
		"--start soon --duration 1h --watch":             "oc-scheduler: --start: must be a time such as now+2h",
		"--end 2026-12-01T09:00:00Z --duration 1h":       "oc-scheduler: --end: --end and --duration cannot both be given",
		"--duration 1h --instance gpu: --booking-mode x": "oc-scheduler: --booking-mode: must be planned, preempted or when_possible; --instance: instance:",
		"--duration=-1h":                                 "oc-scheduler: --duration: must be above zero",
	} {
		if got := ask("check wf " + faulty); got.code != exitFailure || !strings.HasPrefix(got.stderr, want) {
			t.Errorf("%s: %+v", faulty, got)
		}
	}

	s.publish(t, 5)
	eventually(t, "an available answer", func() bool { return ask(check).code == exitOK })
	got := ask(check + " -o json")
	var r result
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || !r.Available || r.WorkflowID != "wf" {
		t.Errorf("%v in %s", err, got.stdout)
	}
	if got := ask("check wf --instance gpu:i9 --duration 1h"); got.code != exitUnavailable || !strings.Contains(got.stdout, "warning") {
		t.Errorf("unknown instance: %+v", got)
	}
	forgotten := map[string]string{"OC_SERVER": s.server, "OC_INSTANCE": "gpu:i9", "OC_END": "soon"}
	if got := invoke(t, forgotten, strings.Fields(check)...); got.code != exitOK {
		t.Errorf("variables change the question: %+v", got)
	}
	for command, words := range map[string][]string{
		"planners":                       {"PEER", "peer-a"},
		"planners -o json":               {`"peer_id": "peer-a"`, `"slots": 1`},
		"planners peer-a":                {"gpus=8", "b-1", "gpus=5", "2100-12-01T00:00:00Z"},
		"planners peer-a -o json":        {`"expires_at"`, `"booking_id": "b-1"`},
		"workflows":                      {"WORKFLOW", "wf", "a name", "peer-a"},
		"workflows --output=json":        {`"id": "wf"`},
		"check wf --duration 1h":         {"wf: available", "n1", "gpu", "i0"},
		"check wf --duration=1h -o json": {`"type": "result"`},
	} {
		got := ask(command)
		for _, word := range words {
			if got.code != exitOK || !strings.Contains(got.stdout, word) {
				t.Errorf("%s: code %d, lacks %s:\n%s%s", command, got.code, word, got.stdout, got.stderr)
			}
		}
	}
	if got := ask("planners peer-z"); got.code != exitFailure || !strings.Contains(got.stderr, `peer "peer-z": no planner of this peer is stored`) {
		t.Errorf("unknown peer: %+v", got)
	}
	if code := s.end(t); code != exitOK {
		t.Errorf("exit code %d\n%s", code, s.stderr.String())
	}
}

// TestWatchOutlivesARestart follows a stream while its replica drains and another takes its place.
func TestWatchOutlivesARestart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := begin(t, "serve", "--data-dir", data)
	s.put(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	stdout, w := io.Pipe()
	exit := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		args := []string{"check", "wf", "--server", s.server, "--duration", "1h", "--watch", "-o", "json"}
		exit <- run(ctx, args, lookupIn(nil), w, &stderr)
		_ = w.Close()
	}()
	answers := bufio.NewScanner(stdout)
	next := func(status string) {
		t.Helper()
		for answers.Scan() {
			var r result
			if err := json.Unmarshal(answers.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Status == status {
				return
			}
		}
		t.Fatalf("the stream ended before it said %s", status)
	}
	next("unknown")
	s.publish(t, 0)
	next("available")
	s.end(t)
	second := begin(t, "serve", "--data-dir", data, "--listen", s.server)
	second.publish(t, 1) // else a quick restart has the same version, which is not told twice
	next("available")
	interrupt()
	go func() { _, _ = io.Copy(io.Discard, stdout) }() // ends with the program
	if code := <-exit; code != exitOK {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
	if !strings.Contains(stderr.String(), "the replica restarts; trying again in ") {
		t.Errorf("nothing said of the restart: %s", stderr.String())
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	s := begin(t, "demo")
	eventually(t, "all nodes are connected", func() bool {
		return strings.Count(invoke(t, nil, "nodes", "--server", s.server).stdout, "connected") == 3
	})
	got := invoke(t, nil, "check", demoWorkflowID, "--server", s.server, "--wait", "30s")
	if got.code != exitOK && got.code != exitUnavailable {
		t.Errorf("%+v", got)
	}
	got = invoke(t, nil, "run", "demo-north", "--server", s.server, "--", "sleep", "0.1")
	if got.code != exitOK || got.stdout != "slept 0s of 100ms\nslept 100ms of 100ms\n" {
		t.Errorf("%+v", got)
	}
	if code := s.end(t); code != exitOK {
		t.Errorf("exit code %d\n%s", code, s.stderr.String())
	}
}

// TestDemoRunsAPipeline: it is booked for each minute, once, however often the demo starts on one store, and can be started.
func TestDemoRunsAPipeline(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var before string
	for range 2 {
		s := begin(t, "demo", "--data-dir", data)
		ask := func(args ...string) outcome {
			return invoke(t, map[string]string{"OC_SERVER": s.server, "OC_OUTPUT": "json"}, args...)
		}
		var started runs.Run
		eventually(t, "it can be started", func() bool {
			got := ask("start", demoPipelineID)
			return json.Unmarshal([]byte(got.stdout), &started) == nil && got.code == exitOK
		})
		eventually(t, "its time has come", func() bool { // how it fares then depends on how busy the machine is
			got := ask("runs", started.ID)
			return json.Unmarshal([]byte(got.stdout), &started) == nil && started.State != runs.Scheduled
		})
		_ = ask("runs", "cancel", started.ID) // it may be over
		var each []schedule.Schedule
		eventually(t, "it is booked", func() bool {
			got := ask("schedules", "--workflow", demoPipelineID, "--label", "demo=each minute", "--state", "active")
			return json.Unmarshal([]byte(got.stdout), &each) == nil && len(each) > 0
		})
		if len(each) != 1 || before != "" && each[0].ID != before {
			t.Errorf("booked before: %q; now: %+v", before, each)
		}
		before = each[0].ID
		eventually(t, "what comes next is booked", func() bool { return strings.Contains(ask("next", before).stdout, `"booked"`) })
		if code := s.end(t); code != exitOK {
			t.Errorf("exit code %d\n%s", code, s.stderr.String())
		}
	}
}

func TestDemoTakesNoOtherServer(t *testing.T) {
	t.Parallel()
	got := invoke(t, map[string]string{"OC_NATS_URL": "nats://127.0.0.1:1"}, "demo")
	if got.code != exitConfig || !strings.Contains(got.stderr, "OC_NATS_URL") {
		t.Errorf("%+v", got)
	}
}
