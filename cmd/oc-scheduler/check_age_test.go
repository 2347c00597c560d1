package main

import (
	"strings"
	"testing"
)

// TestAnOldAnswerSaysSo: of a replica that is cut off, check tells how old its answers are; of another one nothing.
func TestAnOldAnswerSaysSo(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	r := f.replica(t)
	f.put(t, "peer", r)
	ask := func() outcome { return invoke(t, nil, "check", "wf-peer", "--duration", "1h", "--server", r.URL) }
	if got := ask(); got.code != exitUnknown || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	f.server.Stop()
	var got outcome
	eventually(t, "the answer is old", func() bool { got = ask(); return got.stderr != "" })
	if got.code != exitUnknown || !strings.HasPrefix(got.stderr, "The answer is ") || !strings.HasSuffix(got.stderr, "s old: the replica does not reach NATS.\n") {
		t.Errorf("%+v", got)
	}
}
