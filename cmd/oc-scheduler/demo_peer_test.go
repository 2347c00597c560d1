package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestDemoPeersByThemselves: the two peers as processes beside a replica make the same live demo.
func TestDemoPeersByThemselves(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	codes := make(chan int, 2)
	for _, name := range []string{"demo-north", "demo-south"} {
		var log bytes.Buffer
		go func() {
			codes <- run(ctx, []string{"demo-peer", name}, lookupIn(map[string]string{"OC_NATS_URL": s.bus.ConnectedUrl()}), &log, &log)
		}()
	}
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if code := <-codes; code != exitOK {
				t.Errorf("a peer exited with %d", code)
			}
		}
	})
	eventually(t, "the workflow is known", func() bool {
		return strings.Contains(invoke(t, nil, "workflows", "--server", s.url).stdout, demoWorkflowID)
	})
	s.watch(t, demoWorkflowID, "duration=1h").until("both planners came", func(r result) bool { return len(r.Missing) == 0 && r.Status != "unknown" })
}
