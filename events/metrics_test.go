package events_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// TestLagAndReasons: what waits shows while it waits, and each reason for a dead letter from the start.
func TestLagAndReasons(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	bus, err := events.OpenBus(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	const waiting = 700 // more than a replica holds at a time
	for range waiting {
		publish(t, js, events.Propagation, plannerEvent(t, "PB_PLANNER", `{"peer_id":"p"}`))
	}
	release := make(chan struct{})
	h := recorder{answer: func(context.Context, call) error { <-release; return nil }}
	reg := prometheus.NewRegistry()
	listener := events.NewListener(bus, &h, slog.New(slog.DiscardHandler), reg)
	shows := func(what, metric, want string) {
		t.Helper()
		natstest.Eventually(t, what, func() bool {
			return testutil.GatherAndCompare(reg, strings.NewReader(want), metric) == nil
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- listener.Run(ctx) }()
	const lag = "# HELP oc_scheduler_bus_lag_events Events that no replica has handled yet, by the server's word.\n# TYPE oc_scheduler_bus_lag_events gauge\noc_scheduler_bus_lag_events "
	shows("what waits, or is held", "oc_scheduler_bus_lag_events", lag+"700\n")
	close(release)
	shows("nothing that waits", "oc_scheduler_bus_lag_events", lag+"0\n")
	if _, err := js.PauseConsumer(t.Context(), events.Stream, events.Durable, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	publish(t, js, events.Propagation, plannerEvent(t, "PB_PLANNER", `{"peer_id":"p"}`))
	shows("what a paused consumer does not deliver", "oc_scheduler_bus_lag_events", lag+"1\n")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(reg, "oc_scheduler_bus_rejected_total"); n != 6 || err != nil {
		t.Errorf("%d reasons, %v", n, err)
	}
}
