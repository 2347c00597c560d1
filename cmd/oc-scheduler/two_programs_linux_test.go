//go:build long

package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestTwoProgramsUnderOneID: the second one is refused, in words that its log, `nodes` and `doctor` show, and
// nothing runs twice; it takes over at the word of an operator.
func TestTwoProgramsUnderOneID(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	count := filepath.Join(t.TempDir(), "count")
	s.nodeProcess(t, peerConfig(t))
	ctx, cancel := context.WithCancel(t.Context())
	var log bytes.Buffer
	code := make(chan int, 1)
	args := []string{"peer", "--config", peerConfig(t), "--nats-url", s.bus.ConnectedUrl(), "--log-format", "json"}
	go func() { code <- run(ctx, args, lookupIn(nil), &log, &log) }()

	const why = "another program is connected as this node"
	eventually(t, "the second one is refused", func() bool { return strings.Contains(s.ask(t, "nodes", "n1").stdout, why) })
	if got := s.ask(t, "nodes"); !strings.Contains(got.stdout, why) {
		t.Errorf("%+v", got)
	}
	if got := s.ask(t, "doctor", "--nats-url", s.bus.ConnectedUrl()); !strings.Contains(got.stdout, "1 node with a program that is refused: n1") || !strings.Contains(got.stdout, why) {
		t.Errorf("%+v", got)
	}
	s.reaches(t, s.sh(t, "echo one >>"+count), "completed")
	running := s.sh(t, "exec sleep 300")
	s.reaches(t, running, "running")
	if got := s.ask(t, "nodes", "approve", "n1"); !strings.Contains(got.stdout, "takes over when it asks again") {
		t.Errorf("%+v", got)
	}
	if e := s.reaches(t, running, "failed"); !strings.HasPrefix(e.Reason, "node lost: ") {
		t.Errorf("%+v", e)
	}
	s.reaches(t, s.sh(t, "echo two >>"+count), "completed")
	if got := read(t, count); got != "one\ntwo" {
		t.Errorf("what ran: %q", got)
	}
	cancel()
	if c := <-code; c != exitOK {
		t.Errorf("the second one exited with %d", c)
	}
	if !strings.Contains(log.String(), why) {
		t.Errorf("its log: %s", log.String())
	}
}
