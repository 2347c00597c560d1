package orchestrator_test

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/execution"
)

// TestExecutionsThatNobodyOrdered are on record, for they may have been forgotten here, but not without end.
func TestExecutionsThatNobodyOrdered(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	reg := prometheus.NewRegistry()
	a := startReplica(t, srv, "a", countsInto(reg))
	n, other := newNode(t, srv.Connect(t), "n"), newNode(t, srv.Connect(t), "other")
	n.accepted(t)
	other.accepted(t)
	const most, sent = 20_000, 25_000
	for i := range sent {
		n.record(changed(fmt.Sprint("x", i), "queued"))
		if i%1000 == 0 {
			n.sendFast(t)
		}
	}
	n.record(changed("x0", "completed")) // one that is on record goes on
	n.sendFast(t)
	handledUpTo(t, a, "n", sent+1)
	becomes(t, a, "x0", execution.Completed)
	by, _ := eventsCounted(t, reg)
	if kept := a.store.Executions.View().Len(); kept < most || kept > most+sent/10 || by["unordered"] != sent-kept {
		t.Errorf("%d are on record, %v", kept, by)
	}
	other.record(changed("of another", "queued"))
	other.sendAll(t)
	becomes(t, a, "of another", execution.Queued)
}

// TestNoNodeKeepsAnIDFromOthers: what it tells under an id gives way to an order for another node.
func TestNoNodeKeepsAnIDFromOthers(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	squatter, n := newNode(t, nc, "squatter"), newNode(t, nc, "n")
	squatter.accepted(t)
	n.accepted(t)
	squatter.record(changed("x", "running"))
	squatter.sendAll(t)
	becomes(t, a, "x", execution.Running)
	if e, err := a.Orders.Execute(t.Context(), "n", execution.Order{ExecutionID: "x", Command: []string{"true"}}); err != nil {
		t.Fatalf("%+v, %v", e, err)
	}
	squatter.record(changed("x", "completed"))
	squatter.sendAll(t)
	handledUpTo(t, a, "squatter", 2)
	n.record(changed("x", "queued"))
	n.sendAll(t)
	if e := becomes(t, a, "x", execution.Queued); e.NodeID != "n" || e.OrderedAt.IsZero() {
		t.Errorf("%+v", e)
	}
	if _, err := a.Orders.Execute(t.Context(), "squatter", execution.Order{ExecutionID: "x", Command: []string{"true"}}); err == nil {
		t.Error("what was ordered gave way")
	}
}
