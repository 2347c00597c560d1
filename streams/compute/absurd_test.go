package compute_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// absurd is a scheduler that answers as a test says. Whatever that is, its consumer has all orders.
type absurd struct {
	js        jetstream.JetStream
	handshake func(nclprotocol.HandshakeRequest) nclprotocol.HandshakeResponse
	heartbeat nclprotocol.HeartbeatResponse

	mu   sync.Mutex
	last []uint64 // orders processed, as handshakes say
}

func (a *absurd) HandleRequest(ctx context.Context, _ string, m *envelope.Message) (*envelope.Message, error) {
	switch r := m.Payload.(type) {
	case *nclprotocol.HandshakeRequest:
		a.mu.Lock()
		a.last = append(a.last, r.LastSchedulerSequence)
		a.mu.Unlock()
		_ = a.js.DeleteConsumer(ctx, nclprotocol.InStream, nclprotocol.InConsumer("n1"))
		_, err := a.js.CreateConsumer(ctx, nclprotocol.InStream, nclprotocol.InConsumerLayout("n1", 1))
		return &envelope.Message{Payload: a.handshake(*r)}, err
	case *nclprotocol.HeartbeatRequest:
		return &envelope.Message{Payload: a.heartbeat}, nil
	}
	return &envelope.Message{Payload: nclprotocol.ShutdownNoticeResponse{}}, nil
}

func (a *absurd) told() []uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]uint64(nil), a.last...)
}

// startAbsurd has an order for the node, and starts both.
func startAbsurd(t *testing.T, a *absurd) (*compute.ConnectionManager, *worker) {
	t.Helper()
	s := natstest.Start(t)
	a.js = s.JetStream(t)
	for _, layout := range []jetstream.StreamConfig{nclprotocol.OutLayout(1), nclprotocol.InLayout(1)} {
		if _, err := a.js.CreateStream(t.Context(), layout); err != nil {
			t.Fatal(err)
		}
	}
	control := envelope.NewRegistry()
	if err := nclprotocol.RegisterControl(control); err != nil {
		t.Fatal(err)
	}
	r, err := ncl.NewResponder(ncl.ResponderConfig{
		Conn: a.js.Conn(), Subject: nclprotocol.AllControl, Handler: a,
		Codec: envelope.Codec{Serializer: envelope.Serializer{}, Registry: control},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	(&orchestrator{tb: t, node: "n1", js: a.js, data: envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry()}}).send(1)
	w := &worker{}
	return start(t, configure(t, s.URL(), "n1", w, watcher.NewMemoryStore())), w
}

func accepted(start, lastNode uint64) func(nclprotocol.HandshakeRequest) nclprotocol.HandshakeResponse {
	return func(nclprotocol.HandshakeRequest) nclprotocol.HandshakeResponse {
		return nclprotocol.HandshakeResponse{Accepted: true, StartSchedulerSequence: start, LastNodeSequence: lastNode}
	}
}

// TestAbsurdAnswersAreErrors, told in a line or so: a node does not pass over its orders in silence.
func TestAbsurdAnswersAreErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä\r\n", 100_000)
	refused := func(err error) bool { _, is := errors.AsType[*ncl.RefusedError](err); return is }
	behind := func(err error) bool { return errors.Is(err, ncl.ErrBehind) }
	farther := func(err error) bool { return err != nil && strings.Contains(err.Error(), "no stream goes that far") }
	required := func(err error) bool { return errors.Is(err, compute.ErrHandshakeRequired) }
	for name, c := range map[string]struct {
		scheduler *absurd
		is        func(error) bool
	}{
		"starts nowhere":      {&absurd{handshake: accepted(math.MaxUint64, 0)}, farther},
		"starts beyond a bit": {&absurd{handshake: accepted(math.MaxInt64+1, 0)}, farther},
		"starts late":         {&absurd{handshake: accepted(math.MaxInt64, 0)}, behind},
		"starts after one":    {&absurd{handshake: accepted(2, 0)}, behind},
		"is ahead":            {&absurd{handshake: accepted(1, math.MaxUint64)}, func(err error) bool { return errors.Is(err, dispatcher.ErrAhead) }},
		"refuses": {&absurd{handshake: func(nclprotocol.HandshakeRequest) nclprotocol.HandshakeResponse {
			return nclprotocol.HandshakeResponse{Reason: long}
		}}, refused},
		"is never content": {&absurd{
			handshake: accepted(1, 0),
			heartbeat: nclprotocol.HeartbeatResponse{HandshakeRequired: true, Reason: "because " + long},
		}, func(err error) bool { return required(err) && strings.Contains(err.Error(), ": because ä") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cm, _ := startAbsurd(t, c.scheduler)
			var told error
			natstest.Eventually(t, "it says what is wrong", func() bool {
				told = cm.GetHealth().LastError
				return c.is(told)
			})
			if text := told.Error(); len(text) > ncl.MaxReason+200 || strings.ContainsAny(text, "\r\n") {
				t.Errorf("%d bytes: %.100q", len(text), text)
			}
			natstest.Eventually(t, "it tries again", func() bool { return len(c.scheduler.told()) > 2 })
			for _, last := range c.scheduler.told() {
				if last > 1 {
					t.Errorf("handshakes say that these are processed: %d", c.scheduler.told())
				}
			}
		})
	}
}

// TestAWrongStartIsForgotten: once the scheduler is right again, the node goes on from where it was.
func TestAWrongStartIsForgotten(t *testing.T) {
	t.Parallel()
	first := true
	a := &absurd{handshake: func(r nclprotocol.HandshakeRequest) nclprotocol.HandshakeResponse {
		start := r.LastSchedulerSequence + 1
		if first {
			start, first = 1000, false
		}
		return nclprotocol.HandshakeResponse{Accepted: true, StartSchedulerSequence: start}
	}}
	_, w := startAbsurd(t, a)
	ordered(t, w, 1)
	if last := a.told(); len(last) < 2 || last[0] != 0 || last[1] != 0 {
		t.Errorf("handshakes say that these are processed: %d", last)
	}
}
