package main

import (
	"strings"
	"testing"
)

// TestDoctorOfAPeerOfManyNodes: what is odd about a peer's nodes, and about how replicas treat new ones, is told as it
// comes about in real life. Of two programs under one id TestTwoProgramsUnderOneID tells.
func TestDoctorOfAPeerOfManyNodes(t *testing.T) {
	t.Parallel()
	s := startSite(t) // by default nodes get in at once
	s.nodeProcess(t, siteNode(t, "n1", "i0"))
	s.nodeProcess(t, siteNode(t, "n2", "i0"))
	eventually(t, "both are in", func() bool { return strings.Contains(s.ask(t, "nodes", "n2").stdout, "connected") })
	itself().Start(t, "--nats-url", s.bus.ConnectedUrl(), "--approve-nodes", "manual")
	s.publishPlanner(t, []byte(`{"peer_id":"site","generated_at":"2026-12-01T06:00:00Z","capacities":{"gpu":{"i0":{"gpus":1}}}}`))
	for _, words := range []string{
		"1 instance that several nodes offer: site gpu/i0 by n1, n2",
		"planners on the bus that are ignored, for these peers have nodes: site",
		"--approve-nodes differs: auto with ",
	} {
		var got outcome
		eventually(t, "doctor warns: "+words, func() bool {
			got = s.ask(t, "doctor", "--nats-url", s.bus.ConnectedUrl())
			return strings.Contains(got.stdout, words)
		})
		if got.code != exitOK || strings.Contains(got.stdout, "FAIL ") {
			t.Errorf("%+v", got)
		}
	}
}
