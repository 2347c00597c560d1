package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

func run(t testing.TB, r *replica, node string, n int) {
	t.Helper()
	if _, err := r.Orders.Execute(t.Context(), node, execution.Order{ExecutionID: fmt.Sprintf("x%d", n)}); err != nil {
		t.Fatal(err)
	}
}

// obeyed waits until a site has been told the executions 1 to n, in order, each at least once.
func obeyed(t testing.TB, s *site, n int) {
	t.Helper()
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("x%d", i+1))
	}
	natstest.Eventually(t, fmt.Sprintf("%d orders", n), func() bool {
		return slices.Equal(slices.Compact(s.ran()), want)
	})
}

// TestOrdersReachARealNode in their order, over restarts of all that is between.
func TestOrdersReachARealNode(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a, b := startReplica(t, srv, "a"), startReplica(t, srv, "b")
	s := startSite(t, srv.URL(), "n.1")
	s.connected(t)
	for i := range 10 {
		run(t, []*replica{a, b}[i%2], "n.1", i+1)
	}
	obeyed(t, s, 10)
	s.tell(t, changed("x1", "completed"))
	becomes(t, a, "x1", execution.Completed)

	srv.Restart(t)
	natstest.Eventually(t, "NATS is back", func() bool { return a.js.Conn().IsConnected() && b.store.Nodes.View().Current() })
	run(t, a, "n.1", 11)
	s.tell(t, changed("x2", "failed"))
	obeyed(t, s, 11)
	becomes(t, b, "x2", execution.Failed)

	a.kill(t)
	run(t, b, "n.1", 12)
	s.tell(t, changed("x3", "failed"))
	obeyed(t, s, 12)
	becomes(t, b, "x3", execution.Failed)

	b.kill(t)
	srv.Stop()
	srv.Restart(t)
	reg := prometheus.NewRegistry()
	c := startReplica(t, srv, "c", func(c *orchestrator.Config) { c.Metrics = reg })
	run(t, c, "n.1", 13)
	s.tell(t, changed("x4", "failed"))
	obeyed(t, s, 13)
	becomes(t, c, "x4", execution.Failed)
	const onRecord = `# HELP oc_scheduler_executions Executions on record, by state.
# TYPE oc_scheduler_executions gauge
oc_scheduler_executions{state="cancelled"} 0
oc_scheduler_executions{state="completed"} 1
oc_scheduler_executions{state="failed"} 3
oc_scheduler_executions{state="ordered"} 9
oc_scheduler_executions{state="queued"} 0
oc_scheduler_executions{state="running"} 0
oc_scheduler_executions{state="starting"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(onRecord), "oc_scheduler_executions"); err != nil {
		t.Error(err)
	}
}

// TestTheStreamOfOrdersIsMadeAnew by an operator: numbers begin again, and the node follows.
func TestTheStreamOfOrdersIsMadeAnew(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	s := startSite(t, srv.URL(), "n")
	s.connected(t)
	for i := range 3 {
		run(t, a, "n", i+1)
	}
	obeyed(t, s, 3)
	if err := a.js.DeleteStream(t.Context(), nclprotocol.InStream); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it is back", func() bool { _, err := a.js.Stream(t.Context(), nclprotocol.InStream); return err == nil })
	run(t, a, "n", 4)
	obeyed(t, s, 4)
}

func TestOrdersThatCannotBe(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	newNode(t, srv.Connect(t), "n").accepted(t)
	run(t, a, "n", 1)
	if _, err := a.Orders.Execute(t.Context(), "n", execution.Order{ExecutionID: "x1"}); !errors.Is(err, store.ErrExists) {
		t.Errorf("twice: %v", err)
	}
	large := execution.Order{ExecutionID: "large", Command: []string{strings.Repeat("x", 2<<20)}}
	if _, err := a.Orders.Execute(t.Context(), "n", large); !errors.Is(err, kv.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	becomes(t, a, "large", execution.Failed)
	if err := a.Orders.CancelExecution(t.Context(), "nothing", ""); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("Cancel: %v", err)
	}
	if err := a.Orders.CancelExecution(t.Context(), "x1", "no need"); err != nil {
		t.Error(err)
	}
}

// TestAnEventThatIsTooLong for the stream is left out; what follows it is handled, in another session if it
// was sent before the refusal came.
func TestAnEventThatIsTooLong(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	s := startSite(t, srv.URL(), "n")
	s.connected(t)
	long := changed("long", "failed")
	long.Reason = strings.Repeat("x", 2*nclprotocol.MaxMessage)
	s.tell(t, long)
	s.tell(t, changed("short", "queued"))
	becomes(t, a, "short", "queued")
}

// TestAnOrderOnRecordIsSent though the replica that put it there died before it could send it, or could
// not note that it had.
func TestAnOrderOnRecordIsSent(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	s := startSite(t, srv.URL(), "n")
	s.connected(t)
	left := execution.Execution{
		ExecutionID: "x1", NodeID: "n", State: execution.Ordered, OrderedAt: time.Now(),
		Order: json.RawMessage(`{"execution_id":"x1","command":["true"]}`),
	}
	if _, err := a.store.Executions.Create(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	obeyed(t, s, 1)
	natstest.Eventually(t, "it is noted", func() bool {
		e, err := a.store.Executions.Get(t.Context(), "x1")
		return err == nil && e.SentAs > 0 && len(e.Order) == 0
	})
	s.tell(t, changed("x1", "completed"))
	becomes(t, a, "x1", execution.Completed)
}

// TestAnOrderOnRecordIsNoFailure when it can't be sent at once: it is sent as soon as that can be.
func TestAnOrderOnRecordIsNoFailure(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	s := startSite(t, srv.URL(), "n")
	s.connected(t)
	if err := a.js.DeleteStream(t.Context(), nclprotocol.InStream); err != nil {
		t.Fatal(err)
	}
	other := jetstream.StreamConfig{Name: "OTHER", Subjects: []string{nclprotocol.AllIn}, NoAck: true} // takes orders, and says nothing
	if _, err := a.js.CreateStream(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	e, err := a.Orders.Execute(ctx, "n", execution.Order{ExecutionID: "x1", Command: []string{"true"}})
	if err != nil || e.State != execution.Ordered {
		t.Fatalf("%+v, %v", e, err)
	}
	if err := a.js.DeleteStream(t.Context(), "OTHER"); err != nil {
		t.Fatal(err)
	}
	obeyed(t, s, 1)
}
