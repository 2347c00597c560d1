package events_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

func workflowEvent(t *testing.T, id string) []byte {
	t.Helper()
	return envelope(t, "", "WORKFLOW", fmt.Sprintf(`{"id":%q}`, id))
}

// stored publishes over an outage, when the first attempts may fail.
func stored(t *testing.T, js jetstream.JetStream, data []byte) {
	t.Helper()
	natstest.Eventually(t, "a stored event", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := js.Publish(ctx, events.CreateResource, data)
		return err == nil
	})
}

func TestListenerOutlastsTheServer(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var h recorder
	listen(t, s, &h)
	for round := range 3 {
		stored(t, js, workflowEvent(t, fmt.Sprint(round)))
		h.await(t, round+1)
		s.Stop()
		s.Restart(t)
	}
	stored(t, js, workflowEvent(t, "last"))
	back := time.Now()
	h.await(t, 4)
	t.Logf("handled %v after it was stored", time.Since(back).Round(time.Millisecond))
	settled(t, js)
}

// An event whose handler fails because the server is away must not wait for its AckWait.
func TestFailureDuringAnOutage(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	began, down := make(chan struct{}, 1), make(chan struct{})
	var attempts atomic.Int32
	h := recorder{answer: func(context.Context, call) error {
		if attempts.Add(1) > 1 {
			return nil
		}
		began <- struct{}{}
		<-down
		return errors.New("the bucket is out of reach")
	}}
	listen(t, s, &h)
	publish(t, js, events.CreateResource, workflowEvent(t, "w"))
	<-began
	s.Stop()
	close(down)
	s.Restart(t)
	h.await(t, 2)
	settled(t, js)
}

func TestListenerMakesWhatIsRemovedAgain(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var h recorder
	listen(t, s, &h)
	publish(t, js, events.CreateResource, workflowEvent(t, "a"))
	first := h.await(t, 1)[0].arrival
	settled(t, js)
	for i, remove := range []func() error{
		func() error { return js.DeleteConsumer(t.Context(), events.Stream, events.Durable) },
		func() error { return js.DeleteStream(t.Context(), events.Stream) },
	} {
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		stored(t, js, workflowEvent(t, fmt.Sprint("after removal ", i)))
		h.awaitPayload(t, fmt.Sprintf(`{"id":"after removal %d"}`, i))
	}
	if last := h.awaitPayload(t, `{"id":"after removal 1"}`).arrival; !last.Bus.After(first.Bus) {
		t.Errorf("the new bus is as old as the first: %v, %v", last, first)
	}
}

// TestDeadLettersAreKeptThoughTheirStreamWasRemoved by a replica that has run all the time: what cannot be used would
// be delivered for ever.
func TestDeadLettersAreKeptThoughTheirStreamWasRemoved(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	r := &recorder{}
	listen(t, srv, r)
	publish(t, js, events.Propagation, plannerEvent(t, "PB_PLANNER", `{"peer_id":"a","generated_at":"2026-12-01T06:00:00Z","capacities":{}}`))
	r.await(t, 1)
	if err := js.DeleteStream(t.Context(), events.DeadStream); err != nil {
		t.Fatal(err)
	}
	publish(t, js, events.Propagation, []byte("junk"))
	settled(t, js)
	if l := letters(t, js); len(l) != 1 || string(l[0].Data) != "junk" {
		t.Errorf("letters = %v", l)
	}
}

func TestLargestMessages(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	h := recorder{answer: func(_ context.Context, c call) error {
		if strings.Contains(c.payload, "bad") {
			return events.Reject(events.ReasonTooLarge, "%d bytes", len(c.payload))
		}
		return nil
	}}
	listen(t, s, &h)
	const size = events.MaxMessageSize
	for _, id := range []string{"good", "bad"} {
		publish(t, js, events.CreateResource, padded(t, id, size))
	}
	for _, c := range h.await(t, 2) {
		if len(c.payload) < 8<<20-200 {
			t.Errorf("payload of %d bytes", len(c.payload))
		}
	}
	settled(t, js)
	dead := letters(t, js)
	if len(dead) != 1 {
		t.Fatalf("%d letters", len(dead))
	}
	for _, l := range dead {
		if len(l.Data) != size || l.Header.Get(events.HeaderReason) != events.ReasonTooLarge {
			t.Errorf("letter of %d bytes, %v", len(l.Data), l.Header)
		}
	}
}

// padded is a workflow event of exactly size bytes.
func padded(t *testing.T, id string, size int) []byte {
	t.Helper()
	const format = `{"datatype":"WORKFLOW","payload":{"id":%q,"x":"%s"}}`
	frame := len(fmt.Sprintf(format, id, ""))
	return fmt.Appendf(nil, format, id, strings.Repeat("x", size-frame))
}

// With a server that takes too little, the letter is kept without its body rather than retried for ever.
func TestLetterThatTheServerCannotTake(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t, func(o *server.Options) { o.MaxPayload = 1 << 20 })
	js := s.JetStream(t)
	h := recorder{answer: func(context.Context, call) error { return events.Reject(events.ReasonInvalidWorkflow, "why") }}
	listen(t, s, &h)
	publish(t, js, events.CreateResource, padded(t, "w", 1<<20))
	settled(t, js)
	dead := letters(t, js)
	if len(dead) != 1 || len(dead[0].Data) != 0 || !strings.Contains(dead[0].Header.Get(events.HeaderDetail), "1048576 bytes dropped") {
		t.Errorf("letters = %v", dead)
	}
}
