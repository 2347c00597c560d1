package events_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

func TestReplicasShareTheEvents(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var a, b recorder
	listen(t, s, &a)
	stopB := listen(t, s, &b)
	const n = 400
	for i := range n {
		publish(t, js, events.CreateResource, workflowEvent(t, fmt.Sprint(i)))
	}
	settled(t, js)
	seqs := map[uint64]int{}
	for _, c := range append(a.seen(), b.seen()...) {
		seqs[c.arrival.Seq]++
	}
	if total := len(a.seen()) + len(b.seen()); total != n || len(seqs) != n {
		t.Errorf("%d events handled %d times", len(seqs), total)
	}
	stopB()
	publish(t, js, events.CreateResource, workflowEvent(t, "after"))
	settled(t, js)
}

// A replica that stops ends what it has begun and gives back the rest, which the others get at once.
func TestStoppingGivesBack(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	began, end := make(chan struct{}, 1), make(chan struct{})
	slow := recorder{answer: func(ctx context.Context, _ call) error {
		began <- struct{}{}
		<-end
		return ctx.Err()
	}}
	stop := listen(t, s, &slow)
	for range 20 { // one lane: the first keeps the others waiting
		publish(t, js, events.CreateResource, workflowEvent(t, "w"))
	}
	<-began
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	var other recorder
	listen(t, s, &other)
	other.await(t, 1) // proof that the first is stopping, while its handler is still at work
	close(end)
	<-stopped
	settled(t, js)
	if got := len(other.seen()); len(slow.seen()) != 1 || got != 19 {
		t.Errorf("%d events handled by the first, %d by the other", len(slow.seen()), got)
	}
}

// What a replica holds is bounded, and is not delivered again however long it takes.
func TestSlowHandlers(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	const ackWait = 4 * time.Second // a machine that is busy for less does not count as a replica that hangs
	bus, err := events.OpenImpatientBus(t.Context(), js, ackWait)
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	var working atomic.Int32
	h := recorder{answer: func(context.Context, call) error { working.Add(1); <-release; return nil }}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- events.NewListener(bus, &h, slog.New(slog.DiscardHandler), nil).Run(ctx) }()
	const n = events.MaxHeld + 200
	for i := range n {
		publish(t, js, events.CreateResource, workflowEvent(t, fmt.Sprint(i)))
	}
	natstest.Eventually(t, "a full replica", func() bool {
		c, err := js.Consumer(t.Context(), events.Stream, events.Durable)
		return err == nil && c.CachedInfo().NumAckPending == events.MaxHeld
	})
	<-time.After(2 * ackWait) // the time that is tested
	c, err := js.Consumer(t.Context(), events.Stream, events.Durable)
	if err != nil || c.CachedInfo().NumAckPending != events.MaxHeld || c.CachedInfo().NumRedelivered != 0 {
		t.Errorf("consumer: %+v, %v", c.CachedInfo(), err)
	}
	close(release)
	settled(t, js)
	cancel()
	if err := <-done; err != nil || len(h.seen()) != n {
		t.Errorf("%d calls, %v", len(h.seen()), err)
	}
}

func TestMetricsAndLog(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	bus, err := events.OpenBus(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	reg := prometheus.NewPedanticRegistry()
	h := recorder{answer: func(_ context.Context, c call) error {
		if strings.Contains(c.payload, "bad") {
			return events.Reject(events.ReasonInvalidWorkflow, "no graph")
		}
		return nil
	}}
	l := events.NewListener(bus, &h, slog.New(slog.NewJSONHandler(&log, nil)), reg)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	publish(t, js, events.CreateResource, workflowEvent(t, "good"))
	publish(t, js, events.CreateResource, workflowEvent(t, "bad-secret"))
	publish(t, js, events.RemoveResource, []byte(`{}`))
	settled(t, js)
	// Everything is delivered once more: the letter must stay one.
	if err := js.DeleteConsumer(t.Context(), events.Stream, events.Durable); err != nil {
		t.Fatal(err)
	}
	h.await(t, 4)
	settled(t, js)
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	want := `
# HELP oc_scheduler_bus_events_total Deliveries of events of the OpenCloud bus, by what became of them.
# TYPE oc_scheduler_bus_events_total counter
oc_scheduler_bus_events_total{outcome="handled",subject="CREATE_RESOURCE"} 2
oc_scheduler_bus_events_total{outcome="ignored",subject="PROPALGATION_EVENT"} 0
oc_scheduler_bus_events_total{outcome="rejected",subject="CREATE_RESOURCE"} 1
oc_scheduler_bus_events_total{outcome="retried",subject="CREATE_RESOURCE"} 0
oc_scheduler_bus_events_total{outcome="retried",subject="PROPALGATION_EVENT"} 0
oc_scheduler_bus_events_total{outcome="retried",subject="REMOVE_RESOURCE"} 0
oc_scheduler_bus_events_total{outcome="skipped",subject="REMOVE_RESOURCE"} 2
# HELP oc_scheduler_bus_rejected_total Messages of the OpenCloud bus that were kept as dead letters, by reason.
# TYPE oc_scheduler_bus_rejected_total counter
oc_scheduler_bus_rejected_total{reason="invalid_id"} 0
oc_scheduler_bus_rejected_total{reason="invalid_planner"} 0
oc_scheduler_bus_rejected_total{reason="invalid_workflow"} 1
oc_scheduler_bus_rejected_total{reason="panic"} 0
oc_scheduler_bus_rejected_total{reason="too_large"} 0
oc_scheduler_bus_rejected_total{reason="undecodable"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "oc_scheduler_bus_events_total", "oc_scheduler_bus_rejected_total"); err != nil {
		t.Error(err)
	}
	lines := log.String()
	if strings.Count(lines, "event rejected") != 1 || !strings.Contains(lines, `"reason":"invalid_workflow","seq":`) || !strings.Contains(lines, `"detail":"`) || strings.Contains(lines, "secret") {
		t.Errorf("log:\n%s", lines)
	}
	if dead := letters(t, js); len(dead) != 1 {
		t.Errorf("%d letters", len(dead))
	}
}

// lockedBuffer is a log that goroutines write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Whatever comes, the event after it is handled, and nothing is left to be delivered for ever.
func TestGarbage(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	h := recorder{answer: func(_ context.Context, c call) error {
		if c.payload != `{"id":"good"}` {
			return events.Reject(events.ReasonInvalidWorkflow, "%q", c.payload)
		}
		return nil
	}}
	listen(t, s, &h)
	random := rand.New(rand.NewPCG(1, 2))
	seeds := [][]byte{workflowEvent(t, "w"), plannerEvent(t, "PB_PLANNER", `{"peer_id":"p","capacities":{}}`), []byte(`{"datatype":"WORKFLOW","payload":{"id":"w"}}`)}
	subjects := []string{events.Propagation, events.CreateResource, events.RemoveResource}
	for i := range 1500 {
		if _, err := js.PublishAsync(subjects[i%3], mutate(random, seeds[random.IntN(len(seeds))])); err != nil {
			t.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
	publish(t, js, events.CreateResource, workflowEvent(t, "good"))
	settled(t, js)
	h.awaitPayload(t, `{"id":"good"}`)
}

// mutate changes, drops and repeats bytes.
func mutate(random *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + random.IntN(4) {
		at := random.IntN(len(data) + 1)
		switch random.IntN(4) {
		case 0:
			data = data[:at]
		case 1:
			data = append(data[:at:at], data[at/2:]...)
		case 2:
			data = append(data[:at:at], append([]byte{byte(random.Uint32())}, data[at:]...)...)
		default:
			if at < len(data) {
				data[at] = `{}[]",:\0en`[random.IntN(11)]
			}
		}
	}
	return data
}
