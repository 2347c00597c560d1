package events_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// said is what somebody else says to all.
func said(t *testing.T, from, action, payload string) []byte {
	t.Helper()
	data, err := events.Propagated{Action: action, Payload: []byte(payload)}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return envelope(t, from, "", string(data))
}

// Whoever asks for a planner is heard; what others say to each other is not, and our own answers are no news.
func TestQuestions(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var h recorder
	listen(t, s, &h)
	for _, data := range [][]byte{
		said(t, "oc-scheduler", "PB_PLANNER", `{"peer_id":"ours"}`),
		said(t, "x", "PB_PLANNER", `{"peer_id":"p","generated_at":"2026-12-01T06:00:00Z"}`),
		said(t, "x", "PB_PLANNER", `{"peer_id":7}`),
		said(t, "x", "PB_PLANNER", `{"peer_id":""}`),
		said(t, "x", "PB_PLANNER", `{}`),
		said(t, "x", "PB_PLANNER", `p`),
		said(t, "x", "PB_CLOSE_PLANNER", `{"peer_id":"p"}`),
		envelope(t, "x", "", "null"),
	} {
		publish(t, js, events.Propagation, data)
	}
	if err := events.NewEmitter(js).AnswerPlanner(t.Context(), []byte(`{"peer_id":"answered"}`), "answer-1"); err != nil {
		t.Fatal(err)
	}
	publish(t, js, events.Propagation, said(t, "oc-front", "pb_planner", `{"peer_id":"asked"}`))
	publish(t, js, events.Propagation, said(t, "", "PB_PLANNER", ` {"peer_id":"by nobody"} `))
	settled(t, js)
	calls := h.seen()
	if len(calls) != 2 || calls[0].what != "asked" || calls[0].payload != "asked" || calls[1].payload != "by nobody" || calls[0].arrival.Again {
		t.Errorf("calls %+v", calls)
	}
	if dead := letters(t, js); len(dead) != 0 {
		t.Errorf("dead letters %v", dead)
	}
}

// An answer is what oc-discovery would say, marked, and sent once.
func TestAnswers(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	if _, err := events.OpenBus(t.Context(), js, 1); err != nil {
		t.Fatal(err)
	}
	peer := make(chan *nats.Msg, 2)
	nc := s.Connect(t)
	if _, err := nc.ChanSubscribe(events.Propagation, peer); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	e, began := events.NewEmitter(js), time.Now()
	if err := e.AnswerPlanner(t.Context(), []byte(`{"peer_id":"p"}`), "answer-1"); err != nil {
		t.Fatal(err)
	}
	m := natstest.Receive(t, peer)
	envelope, err := events.DecodeEnvelope(m.Data)
	if err != nil || envelope.FromApp != events.FromDiscovery || m.Header.Get(events.HeaderComposed) == "" {
		t.Errorf("%s, %v, header %v", m.Data, err, m.Header)
	}
	if p, err := events.DecodePropagated(envelope.Payload); err != nil || p.Action != events.ActionPlanner || string(p.Payload) != `{"peer_id":"p"}` {
		t.Errorf("%+v, %v", p, err)
	}
	for id, want := range map[string]bool{"answer-1": true, "answer-2": false} {
		if said, err := e.Said(t.Context(), id, began); err != nil || said != want {
			t.Errorf("said %s: %t, %v", id, said, err)
		}
	}
}

// What a handler ignores is counted as such, and neither kept nor delivered again; a question that failed comes
// again as one that may have been answered.
func TestIgnoredAndAskedAgain(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	bus, err := events.OpenBus(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	h := recorder{answer: func(_ context.Context, c call) error {
		switch {
		case c.what == "planner":
			return fmt.Errorf("has nodes: %w", events.ErrIgnored)
		case !c.arrival.Again:
			return events.ErrAway
		}
		return nil
	}}
	reg := prometheus.NewRegistry()
	natstest.Run(t, events.NewListener(bus, &h, slog.New(slog.DiscardHandler), reg).Run)
	publish(t, js, events.Propagation, plannerEvent(t, "PB_PLANNER", `{"peer_id":"p"}`))
	publish(t, js, events.Propagation, said(t, "x", "PB_PLANNER", `{"peer_id":"q"}`))
	settled(t, js)
	if calls := h.await(t, 3); len(calls) != 3 {
		t.Errorf("calls %+v", calls)
	}
	const want = `# HELP oc_scheduler_bus_events_total Deliveries of events of the OpenCloud bus, by what became of them.
# TYPE oc_scheduler_bus_events_total counter
oc_scheduler_bus_events_total{outcome="handled",subject="PROPALGATION_EVENT"} 1
oc_scheduler_bus_events_total{outcome="ignored",subject="PROPALGATION_EVENT"} 1
oc_scheduler_bus_events_total{outcome="retried",subject="CREATE_RESOURCE"} 0
oc_scheduler_bus_events_total{outcome="retried",subject="PROPALGATION_EVENT"} 1
oc_scheduler_bus_events_total{outcome="retried",subject="REMOVE_RESOURCE"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "oc_scheduler_bus_events_total"); err != nil {
		t.Error(err)
	}
	if dead := letters(t, js); len(dead) != 0 {
		t.Errorf("dead letters %v", dead)
	}
}

// TestAPlannerOfSomebodyElse is passed over, counted each time, and told of once.
func TestAPlannerOfSomebodyElse(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	bus, err := events.OpenBus(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	reg := prometheus.NewRegistry()
	stop := natstest.Run(t, events.NewListener(bus, &recorder{}, slog.New(slog.NewTextHandler(&log, nil)), reg).Run)
	for range 3 {
		publish(t, js, events.Propagation, said(t, "oc-discovrey", "PB_PLANNER", `{"peer_id":"q","capacities":{}}`))
	}
	publish(t, js, events.Propagation, said(t, "others", "PB_PLANNER", `{"peer_id":"q","mine":{}}`))
	settled(t, js)
	const want = `# HELP oc_scheduler_bus_events_total Deliveries of events of the OpenCloud bus, by what became of them.
# TYPE oc_scheduler_bus_events_total counter
oc_scheduler_bus_events_total{outcome="ignored",subject="PROPALGATION_EVENT"} 0
oc_scheduler_bus_events_total{outcome="retried",subject="CREATE_RESOURCE"} 0
oc_scheduler_bus_events_total{outcome="retried",subject="PROPALGATION_EVENT"} 0
oc_scheduler_bus_events_total{outcome="retried",subject="REMOVE_RESOURCE"} 0
oc_scheduler_bus_events_total{outcome="skipped",subject="PROPALGATION_EVENT"} 4
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "oc_scheduler_bus_events_total"); err != nil {
		t.Error(err)
	}
	stop()
	if n := strings.Count(log.String(), "event skipped"); n != 1 || !strings.Contains(log.String(), "oc-discovrey") {
		t.Errorf("told %d times: %s", n, log.String())
	}
}
