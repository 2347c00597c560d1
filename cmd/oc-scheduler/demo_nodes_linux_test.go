package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestTheDemosNodesAreProcesses: of one that is killed the demo tells, and all end with the demo, however that ends.
func TestTheDemosNodesAreProcesses(t *testing.T) {
	t.Parallel()
	demo := exec.CommandContext(t.Context(), os.Args[0], "demo", "--listen", "127.0.0.1:0", "--nats-listen", "127.0.0.1:0", "--log-format", "json", "--data-dir", t.TempDir())
	demo.Env = append(os.Environ(), asProgram+"=1")
	log, w := io.Pipe()
	demo.Stderr, demo.WaitDelay = w, patience
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = demo.Wait() // it is killed
		_ = w.Close()
	}()
	t.Cleanup(func() { _ = demo.Process.Kill(); <-ended })

	started, died := map[string]int{}, ""
	for lines := bufio.NewScanner(log); died == "" && lines.Scan(); {
		var line struct {
			Msg    string
			NodeID string `json:"node_id"`
			PID    int
		}
		_ = json.Unmarshal(lines.Bytes(), &line)
		switch {
		case line.Msg == "node started":
			if started[line.NodeID] = line.PID; len(started) == len(demoNodes) {
				if err := syscall.Kill(started["demo-south"], syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
		case strings.HasPrefix(line.Msg, "a node has died"):
			died = line.NodeID
		}
	}
	if died != "demo-south" {
		t.Fatalf("%q has died, of %v", died, started)
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	if err := demo.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for node, pid := range started {
		eventually(t, node+" has ended", func() bool { return !lives(pid) })
	}
	<-ended
}

// lives says whether there is a process that is not merely waiting for somebody to learn of its end.
func lives(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	return err == nil && !strings.Contains(string(status), "State:\tZ")
}
