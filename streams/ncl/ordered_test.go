package ncl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

func TestManyAreInFlightInOrder(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	p := orderedPublisher(t, js, func(c *ncl.OrderedPublisherConfig) { c.MaxPending = 7 })
	var futures []ncl.PubFuture
	for n := range 100 {
		futures = append(futures, send(t, p, n))
	}
	for n, f := range futures {
		if err := outcome(t, f); err != nil || f.StreamSequence() != uint64(n+1) {
			t.Errorf("note %d: %v, sequence %d", n, err, f.StreamSequence())
		}
	}
	for i, n := range stored(t, js) {
		if i != n {
			t.Fatalf("note %d is in place %d", n, i)
		}
	}
}

func TestFirstFailureBreaksTheLine(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js, func(c *jetstream.StreamConfig) { c.MaxMsgs, c.Discard = 2, jetstream.DiscardNew })
	p := orderedPublisher(t, js)
	first, second := send(t, p, 1), send(t, p, 2)
	full := send(t, p, 3)
	if err := errors.Join(outcome(t, first), outcome(t, second)); err != nil {
		t.Error(err)
	}
	if _, ok := errors.AsType[*jetstream.APIError](outcome(t, full)); !ok {
		t.Errorf("the stream is full: %v", full.Err())
	}
	_, err := p.PublishAsync(t.Context(), ncl.PublishRequest{Subject: "notes", Message: note(4)})
	if !errors.Is(err, ncl.ErrBroken) {
		t.Errorf("after a failure: %v", err)
	}
	p.Reset(t.Context())
	if err := outcome(t, send(t, p, 3)); err == nil || errors.Is(err, ncl.ErrBroken) {
		t.Errorf("after a reset: %v", err)
	}
	if got := fmt.Sprint(stored(t, js)); got != "[1 2]" {
		t.Errorf("stored: %s", got)
	}
}

func TestNoStreamNoOutcome(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	p := orderedPublisher(t, js)
	if err := outcome(t, send(t, p, 1)); !errors.Is(err, ncl.ErrNoResponders) {
		t.Errorf("without a stream: %v", err)
	}
	sub, err := js.Conn().SubscribeSync("notes") // which hears and says nothing
	if err != nil {
		t.Fatal(err)
	}
	clock := clockwork.NewFakeClock()
	p = orderedPublisher(t, js, func(c *ncl.OrderedPublisherConfig) { c.Clock = clock })
	futures := []ncl.PubFuture{send(t, p, 1), send(t, p, 2)}
	if _, err := sub.NextMsgWithContext(patient(t)); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the time to wait is over", func() bool {
		clock.Advance(ncl.DefaultAckTimeout)
		return errors.Is(futures[0].Err(), ncl.ErrNoAck)
	})
	if err := outcome(t, futures[1]); !errors.Is(err, ncl.ErrBroken) {
		t.Errorf("after one without outcome: %v", err)
	}
}

func TestWhatCannotBeSentBreaksNothing(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t, func(o *server.Options) { o.MaxPayload = 1 << 20 }).JetStream(t)
	withStream(t, js)
	p := orderedPublisher(t, js)
	for name, m := range map[string]*envelope.Message{
		"unknown type":             {Payload: 7},
		"too large for a frame":    {Payload: Note{Text: strings.Repeat("x", 9<<20)}},
		"too large for the server": {Payload: Note{Text: strings.Repeat("x", 1<<20)}},
	} {
		if f, err := p.PublishAsync(t.Context(), ncl.PublishRequest{Subject: "notes", Message: m}); err == nil {
			t.Errorf("%s: %v", name, f)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.PublishAsync(ended, ncl.PublishRequest{Subject: "notes", Message: note(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	if err := outcome(t, send(t, p, 1)); err != nil {
		t.Error(err)
	}
}

func TestResetAndCloseEndWhatWaits(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	if _, err := js.Conn().SubscribeSync("notes"); err != nil { // which hears and says nothing
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		end  func(ncl.OrderedPublisher) error
		want error
	}{
		"reset": {func(p ncl.OrderedPublisher) error { p.Reset(patient(t)); return nil }, ncl.ErrReset},
		"close": {func(p ncl.OrderedPublisher) error { return p.Close(patient(t)) }, ncl.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := orderedPublisher(t, js, func(c *ncl.OrderedPublisherConfig) { c.MaxPending = 1 })
			open := send(t, p, 1)
			calls := make(chan error, 3)
			for range cap(calls) { // one waits for room, the others for their turn, those that begin in time
				go func() {
					_, err := p.PublishAsync(patient(t), ncl.PublishRequest{Subject: "notes", Message: note(2)})
					calls <- err
				}()
			}
			if err := tc.end(p); err != nil {
				t.Error(err)
			}
			if err := outcome(t, open); !errors.Is(err, tc.want) {
				t.Errorf("in flight: %v", err)
			}
			if err := p.Close(patient(t)); err != nil {
				t.Error(err)
			}
			for range cap(calls) {
				if err := <-calls; err != nil && !errors.Is(err, tc.want) && !errors.Is(err, ncl.ErrClosed) {
					t.Errorf("waiting: %v", err)
				}
			}
		})
	}
}

func TestWaitingForRoomEndsWithItsContext(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	if _, err := js.Conn().SubscribeSync("notes"); err != nil { // which hears and says nothing
		t.Fatal(err)
	}
	p := orderedPublisher(t, js, func(c *ncl.OrderedPublisherConfig) { c.MaxPending = 1 })
	open := send(t, p, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	calls := make(chan error, 2)
	for range cap(calls) {
		go func() {
			_, err := p.PublishAsync(ctx, ncl.PublishRequest{Subject: "notes", Message: note(2)})
			calls <- err
		}()
	}
	cancel(nil)
	for range cap(calls) {
		if err := <-calls; !errors.Is(err, context.Canceled) {
			t.Errorf("waiting: %v", err)
		}
	}
	if open.Err() != nil {
		t.Errorf("in flight: %v", open.Err())
	}
}

func TestALostConnectionFailsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	if _, err := js.Conn().SubscribeSync("notes"); err != nil {
		t.Fatal(err)
	}
	p := orderedPublisher(t, js)
	f := send(t, p, 1)
	srv.Restart(t)
	if err := outcome(t, f); !errors.Is(err, nats.ErrDisconnected) {
		t.Errorf("disconnected: %v", err)
	}
	js.Conn().Close()
	for range 2 { // the connection tells only once
		p.Reset(t.Context())
		if err := outcome(t, send(t, p, 1)); !errors.Is(err, nats.ErrConnectionClosed) {
			t.Errorf("closed: %v", err)
		}
	}
}
