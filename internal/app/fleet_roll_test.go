package app_test

import (
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/internal/natstest"
)

// TestAFleetIsRolled replaces one replica after another while planners keep coming: every client is
// served by another replica, and no planner is closed that somebody wants.
func TestAFleetIsRolled(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	f := newFleet(t, server.Connect(t), 8, on(server), on(server), on(server))
	slots := make(chan []*running, 1) // clients read it while it changes
	slots <- f.replicas
	now := func() []*running { s := <-slots; slots <- s; return s }
	f.open(t, func(replica, attempt int) string { s := now(); return s[(replica+attempt)%len(s)].URL() })
	f.publish(t)
	f.whole(t, "the start")
	for i := range f.replicas {
		next := start(t, on(server))
		next.awaitReady(t)
		old := (<-slots)[i]
		f.replicas = append([]*running(nil), f.replicas...)
		f.replicas[i] = next
		slots <- f.replicas // as a load balancer does that sees /readyz
		if err := old.wait(t); err != nil {
			t.Errorf("a drained replica: %v", err)
		}
		f.publish(t)
		f.whole(t, "the replacement of a replica")
	}
	var slowest time.Duration
	moved := 0
	for _, s := range f.streams {
		for code, n := range s.Closed() {
			if moved += n; code != websocket.StatusServiceRestart {
				t.Errorf("%d closes with %d, want 1012 alone", n, code)
			}
		}
		for _, d := range s.Returns() {
			slowest = max(slowest, d)
		}
	}
	if moved < len(f.streams) {
		t.Errorf("%d closes of %d streams on the replicas that were replaced", moved, len(f.streams))
	}
	if slowest > 2*time.Second {
		t.Errorf("a client was served again only after %v", slowest)
	}
	t.Logf("%d streams moved %d times; the slowest was served again after %v", len(f.streams), moved, slowest)
	f.said(t, 1, 0)
}
