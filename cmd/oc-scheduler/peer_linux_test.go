package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// peerConfig writes the configuration of node n1, which runs sh.
func peerConfig(t *testing.T) (file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "peer.yaml")
	text := "peer_id: site\nnode_id: n1\ndata_dir: " + filepath.Join(dir, "data") + "\n" +
		"resources: {gpu: {i0: {gpus: 4}}}\nexecutor: {type: process, commands: [sh], environment: [OC_TEST_GIVEN]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// peer runs a node in this process until the test ends, and waits until it is connected.
func (s *site) peer(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var log bytes.Buffer
	code := make(chan int, 1)
	args := []string{"peer", "--config", peerConfig(t), "--nats-url", s.bus.ConnectedUrl()}
	go func() { code <- run(ctx, args, lookupIn(nil), &log, &log) }()
	t.Cleanup(func() {
		cancel()
		if c := <-code; c != exitOK || t.Failed() {
			t.Errorf("peer exited with %d:\n%s", c, log.String())
		}
	})
	s.connected(t)
}

func (s *site) connected(t *testing.T) {
	t.Helper()
	eventually(t, "the node is connected", func() bool {
		return strings.Contains(s.ask(t, "nodes", "n1").stdout, "connected")
	})
}

// sh has the node run a script in the background, and returns the execution's id.
func (s *site) sh(t *testing.T, script string) string {
	t.Helper()
	got := s.ask(t, "run", "-d", "n1", "--", "sh", "-c", script)
	if got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	return strings.TrimSpace(got.stdout)
}

// execution is what the replica knows of an execution.
func (s *site) execution(t *testing.T, executionID string) (e executionDoc) {
	t.Helper()
	got := s.ask(t, "executions", executionID, "-o", "json")
	if got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if err := json.Unmarshal([]byte(got.stdout), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func (s *site) reaches(t *testing.T, executionID, state string) executionDoc {
	t.Helper()
	eventually(t, executionID+" is "+state, func() bool { return s.execution(t, executionID).State == state })
	return s.execution(t, executionID)
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.peer(t)
	for name, tc := range map[string]struct {
		args string
		want outcome
	}{
		"both outputs":     {`n1 -- sh -c 'echo out; sleep 0.1; echo err >&2; exit 7'`, outcome{7, "out\n", "err\n"}},
		"without dashes":   {`n1 sh`, outcome{0, "", ""}},
		"flags of ours":    {`n1 --env OC_TEST_GIVEN=a -- sh -c 'echo $OC_TEST_GIVEN'`, outcome{0, "a\n", ""}},
		"a semicolon":      {`--env OC_TEST_GIVEN=a;b=c n1 -- sh -c 'echo "$OC_TEST_GIVEN"'`, outcome{0, "a;b=c\n", ""}},
		"a variable":       {`--env OC_TEST_GIVEN=a,b n1 -- sh -c 'echo $OC_TEST_GIVEN'`, outcome{0, "a,b\n", ""}},
		"flags of its own": {`n1 -- sh -c 'echo $1' sh --server`, outcome{0, "--server\n", ""}},
		"no variable":      {`--env PATH=/tmp n1 -- sh -c true`, outcome{125, "", `failed: variable "PATH" is not listed on this node`}},
		"its own failure":  {`n1 -- sh -c 'exit 1'`, outcome{1, "", ""}},
		"no flag":          {`--bogus n1 -- sh`, outcome{125, "", "--bogus"}},
		"nobody answers":   {`--server 127.0.0.1:1 n1 -- sh`, outcome{125, "", "no replica answers"}},
		"terminated":       {`n1 -- sh -c 'kill -TERM $$'`, outcome{128 + 15, "", "failed: ended by a signal: terminated"}},
		"killed":           {`n1 -- sh -c 'kill -9 $$'`, outcome{128 + 9, "", "failed: ended by a signal: killed"}},
		"took too long":    {`--timeout 100ms n1 -- sh -c 'sleep 300'`, outcome{124, "", "failed: took too long: 100ms is the limit"}},
		"not listed":       {`n1 -- ls`, outcome{125, "", `failed: command "ls" is not listed on this node`}},
		"no such node":     {`n2 -- ls`, outcome{125, "", `node "n2": no such node`}},
		"no command":       {`n1`, outcome{125, "", "command: is missing"}},
		"bad id":           {`--id ` + strings.Repeat("x", 200) + ` n1 -- sh`, outcome{125, "", "--id: invalid id"}},
		"negative":         {`--timeout=-1s n1 -- sh`, outcome{125, "", "--timeout: must not be below zero"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := s.ask(t, "run", words(tc.args)...)
			exact := tc.want.code < exitTimeout
			if got.code != tc.want.code || got.stdout != tc.want.stdout || exact && got.stderr != tc.want.stderr ||
				!exact && (!strings.Contains(got.stderr, tc.want.stderr) || strings.Count(got.stderr, "\n") != 1) {
				t.Errorf("%+v\nwant %+v", got, tc.want)
			}
		})
	}
}

// words splits like a shell does, as far as these tests need it.
func words(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

func TestLogsAndCancel(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.peer(t)
	id := s.sh(t, "echo one; echo two; sleep 300")
	s.reaches(t, id, "running")
	eventually(t, "its output", func() bool { return s.ask(t, "logs", id).stdout == "one\ntwo\n" })
	if got := s.ask(t, "logs", "-n", "1", id); got.stdout != "two\n" {
		t.Errorf("%+v", got)
	}
	followed := make(chan outcome)
	go func() { followed <- s.ask(t, "logs", "-f", id) }()
	if got := s.ask(t, "cancel", id, "--reason", "enough"); got != (outcome{exitOK, "cancellation of " + id + " is ordered\n", ""}) {
		t.Errorf("%+v", got)
	}
	if got := <-followed; got.code != exitOK || got.stdout != "one\ntwo\n" {
		t.Errorf("%+v", got)
	}
	if e := s.reaches(t, id, "cancelled"); e.Reason != "enough" {
		t.Errorf("%+v", e)
	}
	if got := s.ask(t, "cancel", id); got.stdout != id+" is cancelled\n" {
		t.Errorf("%+v", got)
	}
	done := s.sh(t, "exit 3")
	s.reaches(t, done, "failed")
	if got := s.ask(t, "cancel", done); got.stdout != done+" had ended: failed\n" {
		t.Errorf("%+v", got)
	}
	if got := s.ask(t, "executions"); !strings.Contains(got.stdout, id+"  n1    cancelled") {
		t.Errorf("%+v", got)
	}
	for _, command := range []string{"logs", "cancel", "executions"} {
		if got := s.ask(t, command, "unknown"); got.code != exitFailure || !strings.Contains(got.stderr, `execution "unknown": no such execution`) {
			t.Errorf("%+v", got)
		}
	}
}

// nodeProcess is a node in a process of its own.
func (s *site) nodeProcess(t *testing.T, config string) (kill func()) {
	t.Helper()
	node := exec.CommandContext(t.Context(), os.Args[0], "peer", "--config", config, "--nats-url", s.bus.ConnectedUrl())
	node.Env = append(os.Environ(), asProgram+"=1")
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if killed {
			return
		}
		killed = true
		if err := node.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		_ = node.Wait() // it was killed
	}
	t.Cleanup(kill)
	s.connected(t)
	return kill
}

// TestAKilledNode leaves no process behind, and knows what it was about when it comes back.
func TestAKilledNode(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, count := peerConfig(t), filepath.Join(t.TempDir(), "count")
	kill := s.nodeProcess(t, config)
	ended := s.sh(t, "echo fine >>"+count)
	s.reaches(t, ended, "completed")
	var ids []string
	for range 4 { // as many as run at a time
		ids = append(ids, s.sh(t, `trap '' TERM; echo $$; sleep 300 & echo $!; setsid sh -c 'echo $$; sleep 300 & echo $!; wait' & wait`))
	}
	var pids []int
	eventually(t, "all processes run", func() bool {
		pids = nil
		for _, id := range ids {
			for word := range strings.FieldsSeq(s.ask(t, "logs", id).stdout) {
				pid, err := strconv.Atoi(word)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, pid)
			}
		}
		return len(pids) == 4*len(ids)
	})
	waiting := s.sh(t, "echo later >>"+count)
	s.reaches(t, waiting, "queued")
	kill()
	eventually(t, "all processes are gone", func() bool {
		return !slices.ContainsFunc(pids, func(pid int) bool { return syscall.Kill(pid, 0) == nil })
	})

	s.nodeProcess(t, config)
	for _, id := range ids {
		if e := s.reaches(t, id, "failed"); e.Reason != "node restarted" || e.ExitCode != nil {
			t.Errorf("%+v", e)
		}
		if got := s.ask(t, "logs", id).stdout; strings.Count(got, "\n") < 4 {
			t.Errorf("output: %q", got)
		}
	}
	s.reaches(t, waiting, "completed")
	s.reaches(t, ended, "completed")
	if got := read(t, count); got != "fine\nlater" {
		t.Errorf("what ran once: %q", got)
	}
}

func TestBadPeers(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("peer_id: a\ncolour: red\nexecutor: {type: docker}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.yaml")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "ledger.db"), bytes.Repeat([]byte("no ledger"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"peer":                           "--config",
		"peer --config /nonexistent":     "--config: open /nonexistent",
		"peer --config " + bad:           "--config: " + bad + `: line 2: unknown field colour; line 3: executor.type: "docker" is neither sleep nor process`,
		"peer --config " + empty:         "--config: " + empty + " is empty",
		"peer --config " + peerConfig(t): "--nats-url: missing",
		"peer --nats-url nats://127.0.0.1:1 --config " + peerConfig(t) + " --data-dir " + bad:     "data_dir: mkdir " + bad,
		"peer --nats-url nats://127.0.0.1:1 --config " + peerConfig(t) + " --data-dir " + damaged: "data_dir: ",
		"peer --nats-url http://a --config " + peerConfig(t):                                      "--nats-url",
		"peer --nats-url nats://a --nats-ca /nonexistent --config " + peerConfig(t):               "--nats-ca",
	} {
		got := invoke(t, nil, strings.Fields(args)...)
		if got.code != exitConfig || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
