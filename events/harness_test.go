package events_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// call is one call of the handler.
type call struct {
	what    string // planner, asked, created or removed
	payload string
	arrival events.Arrival
}

// recorder is a handler that notes its calls and then answers as told.
type recorder struct {
	answer func(ctx context.Context, c call) error // nil: all is well

	mu    sync.Mutex
	calls []call
}

func (r *recorder) note(ctx context.Context, what string, a events.Arrival, payload string) error {
	c := call{what, payload, a}
	r.mu.Lock()
	r.calls = append(r.calls, c)
	r.mu.Unlock()
	if r.answer == nil {
		return nil
	}
	return r.answer(ctx, c)
}

func (r *recorder) PlannerPublished(ctx context.Context, a events.Arrival, p []byte) error {
	return r.note(ctx, "planner", a, string(p))
}

func (r *recorder) PlannerAsked(ctx context.Context, a events.Arrival, peerID string) error {
	return r.note(ctx, "asked", a, peerID)
}

func (r *recorder) WorkflowCreated(ctx context.Context, a events.Arrival, w []byte) error {
	return r.note(ctx, "created", a, string(w))
}

func (r *recorder) WorkflowRemoved(ctx context.Context, a events.Arrival, id string) error {
	return r.note(ctx, "removed", a, id)
}

func (r *recorder) seen() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// await waits for n calls.
func (r *recorder) await(t *testing.T, n int) []call {
	t.Helper()
	natstest.Eventually(t, fmt.Sprintf("%d calls of the handler", n), func() bool { return len(r.seen()) >= n })
	return r.seen()
}

// awaitPayload waits for a call with this payload.
func (r *recorder) awaitPayload(t *testing.T, payload string) (found call) {
	t.Helper()
	natstest.Eventually(t, "a call with "+payload, func() bool {
		calls := r.seen()
		i := slices.IndexFunc(calls, func(c call) bool { return c.payload == payload })
		if i >= 0 {
			found = calls[i]
		}
		return i >= 0
	})
	return found
}

// listen opens the bus and runs a Listener until the test ends or stop is called.
func listen(t *testing.T, s *natstest.Server, h events.Handler) (stop func()) {
	t.Helper()
	bus, err := events.OpenBus(t.Context(), s.JetStream(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- events.NewListener(bus, h, slog.New(slog.DiscardHandler), nil).Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// envelope writes an envelope whose payload is base64, as Go writes it.
func envelope(t *testing.T, from, datatype, payload string) []byte {
	t.Helper()
	data, err := events.Envelope{FromApp: from, Datatype: datatype, Payload: []byte(payload)}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func plannerEvent(t *testing.T, action, payload string) []byte {
	t.Helper()
	data, err := events.Propagated{Action: action, Payload: []byte(payload)}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return envelope(t, "oc-discovery", "", string(data))
}

func publish(t *testing.T, js jetstream.JetStream, subject string, data []byte) uint64 {
	t.Helper()
	ack, err := js.Publish(t.Context(), subject, data)
	if err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

// settled waits until everything on the bus is acknowledged.
func settled(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	natstest.Eventually(t, "a bus with nothing left to deliver", func() bool {
		stream, err := js.Stream(t.Context(), events.Stream)
		if err != nil {
			return false
		}
		c, err := stream.Consumer(t.Context(), events.Durable)
		return err == nil && c.CachedInfo().AckFloor.Stream >= stream.CachedInfo().State.LastSeq && c.CachedInfo().NumAckPending == 0
	})
}

// letters reads all dead letters.
func letters(t *testing.T, js jetstream.JetStream) []*jetstream.RawStreamMsg {
	t.Helper()
	stream, err := js.Stream(t.Context(), events.DeadStream)
	if err != nil {
		t.Fatal(err)
	}
	state := stream.CachedInfo().State
	var list []*jetstream.RawStreamMsg
	for seq := state.FirstSeq; seq <= state.LastSeq && state.Msgs > 0; seq++ {
		m, err := stream.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}
