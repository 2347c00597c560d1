package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestAnOrderThatWaits: whoever orders something of a node that is not there is told at once, and told
// again on leaving that the order stands.
func TestAnOrderThatWaits(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.knock(t, "n1")
	const told = "node n1 is gone; the order waits until it is back\n"
	for _, decision := range []string{"reject", "approve"} { // it may take part, but has to come back
		if got := s.ask(t, "nodes", decision, "n1"); got.code != exitOK {
			t.Fatalf("%+v", got)
		}
	}
	if got := s.ask(t, "run", "-d", "--id", "x1", "n1", "--", "ls"); got != (outcome{exitOK, "x1\n", told}) {
		t.Errorf("%+v", got)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	var stdout bytes.Buffer
	stderr := &interrupting{after: told, then: interrupt}
	code := run(ctx, []string{"run", "--id", "x2", "n1", "--server", s.url, "--", "ls"}, lookupIn(nil), &stdout, stderr)
	if got := stderr.String(); code != exitSignal+2 || !strings.Contains(got, "interrupted; the order still waits: oc-scheduler logs -f x2") {
		t.Errorf("%d %s", code, got)
	}
}

// interrupting is an output whose reader presses Ctrl-C when he has read something.
type interrupting struct {
	bytes.Buffer
	after string
	then  func()
}

func (i *interrupting) Write(p []byte) (int, error) {
	n, err := i.Buffer.Write(p)
	if strings.Contains(i.String(), i.after) {
		i.then()
	}
	return n, err
}
