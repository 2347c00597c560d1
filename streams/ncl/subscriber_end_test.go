package ncl_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

// TestAReadingInDoubtEnds, once, and says so.
func TestAReadingInDoubtEnds(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(*testing.T, *natstest.Server, jetstream.JetStream){
		"consumer deleted": func(t *testing.T, _ *natstest.Server, js jetstream.JetStream) {
			t.Helper()
			if err := js.DeleteConsumer(patient(t), "NOTES", "reader"); err != nil {
				t.Fatal(err)
			}
		},
		"server restarted": func(t *testing.T, srv *natstest.Server, _ jetstream.JetStream) { t.Helper(); srv.Restart(t) },
		"connection closed": func(t *testing.T, _ *natstest.Server, js jetstream.JetStream) {
			t.Helper()
			js.Conn().Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := natstest.Start(t)
			js := srv.JetStream(t)
			withStream(t, js)
			withConsumer(t, js)
			r := subscriber(t, js)
			r.Open()
			put(t, js, note(1))
			r.awaitLast(t, 1)
			harm(t, srv, js)
			if err := <-r.ended; err == nil {
				t.Error("ended without a reason")
			}
			if err := r.Close(patient(t)); err != nil {
				t.Error(err)
			}
			if len(r.ended) != 0 {
				t.Error("ended twice")
			}
		})
	}
}

func TestAReadingNeedsItsConsumer(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	r := subscriber(t, js)
	r.Open()
	if err := <-r.ended; err == nil {
		t.Error("ended without a reason")
	}
}

// TestCloseEndsAHandlerAndItsPauses, and what was not handled is not processed.
func TestCloseEndsAHandlerAndItsPauses(t *testing.T) {
	t.Parallel()
	for name, within := range map[string]bool{"in the handler": true, "in a pause": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			js := natstest.Start(t).JetStream(t)
			withStream(t, js)
			withConsumer(t, js)
			clock := clockwork.NewFakeClock()
			h := hanging{entered: make(chan struct{}, 1), hang: within}
			r := subscriber(t, js, func(c *ncl.SubscriberConfig) {
				c.Handler, c.Clock = h, clock
				c.Backoff = func() backoff.BackOff { return backoff.NewConstantBackOff(time.Hour) }
			})
			r.Open()
			put(t, js, note(1))
			<-h.entered
			if !within {
				if err := clock.BlockUntilContext(patient(t), 1); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(patient(t)); err != nil {
				t.Error(err)
			}
			if r.LastSequence() != 0 || len(r.ended) != 0 || len(r.skipped) != 0 {
				t.Errorf("processed %d, %d ends, %d skipped", r.LastSequence(), len(r.ended), len(r.skipped))
			}
		})
	}
}

// hanging is a MessageHandler that fails, at once or when its context ends.
type hanging struct {
	entered chan struct{}
	hang    bool
}

func (h hanging) ShouldProcess(context.Context, *envelope.Message) bool { return true }

func (h hanging) HandleMessage(ctx context.Context, _ *envelope.Message) error {
	h.entered <- struct{}{}
	if h.hang {
		<-ctx.Done()
	}
	return errors.New("not handled")
}

// TestASubscriberEndsAtAnyMoment of its life.
func TestASubscriberEndsAtAnyMoment(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	withConsumer(t, js)
	for round := range 50 {
		r, err := ncl.NewSubscriber(ncl.SubscriberConfig{
			JetStream: js, Stream: "NOTES", Consumer: "reader", Codec: codec(), Handler: &recorder{}, Tracker: &tracker{},
		})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 2)
		go func() { done <- r.Subscribe(patient(t)) }()
		r.Open()
		go func() { done <- r.Close(patient(t)) }()
		for range cap(done) {
			if err := <-done; err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, ncl.ErrClosed) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		if err := r.Close(patient(t)); err != nil {
			t.Error(err)
		}
		if err := r.Subscribe(patient(t)); !errors.Is(err, ncl.ErrClosed) {
			t.Errorf("Subscribe after Close = %v", err)
		}
	}
}

func TestASubscriberSubscribesOnce(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	r := subscriber(t, js)
	if err := r.Subscribe(t.Context()); !errors.Is(err, ncl.ErrStarted) {
		t.Error("it subscribes twice:", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	again, err := ncl.NewSubscriber(r.SubscriberConfig)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Subscribe(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Subscribe with an ended context = %v", err)
	}
	srv.Stop()
	if err := <-r.ended; err == nil {
		t.Error("it ended without a reason")
	}
	if again, err = ncl.NewSubscriber(r.SubscriberConfig); err != nil {
		t.Fatal(err)
	}
	unborn, err := ncl.NewSubscriber(r.SubscriberConfig)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unborn.Close(patient(t)), unborn.Close(patient(t))); err != nil {
		t.Error(err)
	}
	if err := unborn.Subscribe(patient(t)); !errors.Is(err, ncl.ErrClosed) {
		t.Errorf("Subscribe after Close = %v", err)
	}
	js.Conn().Close()
	if err := again.Subscribe(t.Context()); err == nil {
		t.Error("it subscribes to nothing")
	}
	if len(r.ended) != 0 {
		t.Error("the end was told though Subscribe has")
	}
}
