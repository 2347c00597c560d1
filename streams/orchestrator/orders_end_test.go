package orchestrator_test

import (
	"slices"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/compute"
)

// TestACancelledOrderOfANodeThatIsAway ends at once, and never gets there.
func TestACancelledOrderOfANodeThatIsAway(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	s := startSite(t, srv.URL(), "n")
	s.connected(t)
	run(t, a, "n", 1)
	obeyed(t, s, 1)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	nodeBecomes(t, a, "n", store.NodeGone)
	run(t, a, "n", 2)
	run(t, a, "n", 3)
	if err := a.Orders.CancelExecution(t.Context(), "x2", "not wanted"); err != nil {
		t.Fatal(err)
	}
	if e, err := a.store.Executions.Get(t.Context(), "x2"); err != nil || e.State != execution.Cancelled || e.Reason != "not wanted" {
		t.Errorf("%+v, %v", e, err)
	}
	again := startSite(t, srv.URL(), "n", func(c *compute.Config) { c.EventStore = s.ledger })
	natstest.Eventually(t, "it goes on", func() bool { return slices.Equal(again.ran(), []string{"x3"}) || len(again.ran()) > 1 })
	if got := again.ran(); !slices.Equal(got, []string{"x3"}) {
		t.Errorf("it ran %v", got)
	}
}
