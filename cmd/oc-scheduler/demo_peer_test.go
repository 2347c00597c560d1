package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestDemoPeersByThemselves: the nodes of both peers as processes beside a replica make the same live demo.
func TestDemoPeersByThemselves(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	parts := []string{"demo-north", "demo-north.2", "demo-south", "demo-workflow"}
	codes := make(chan int, len(parts))
	for _, name := range parts {
		var log bytes.Buffer
		go func() {
			codes <- run(ctx, []string{"demo-peer", name}, lookupIn(map[string]string{"OC_NATS_URL": s.bus.ConnectedUrl()}), &log, &log)
		}()
	}
	t.Cleanup(func() {
		cancel()
		for range parts {
			if code := <-codes; code != exitOK {
				t.Errorf("a part exited with %d", code)
			}
		}
	})
	eventually(t, "the workflow is known", func() bool {
		return strings.Contains(invoke(t, nil, "workflows", "--server", s.url).stdout, demoWorkflowID)
	})
	s.watch(t, demoWorkflowID, "duration=1h").until("both planners came", func(r result) bool { return len(r.MissingPlanners) == 0 && r.Status != "unknown" })
}
