package ncl_test

import (
	"context"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/ncl"
)

// TestAFakeClockHoldsUpNothing: the Err of its contexts waits for their end.
func TestAFakeClockHoldsUpNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	withStream(t, js)
	clock := clockwork.NewFakeClock()
	responder(t, srv, func(c *ncl.ResponderConfig) { c.Clock = clock })
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := clockwork.WithTimeout(t.Context(), clock, time.Minute)
		defer cancel()
		failing := note(1)
		failing.Payload = Note{Text: "fail"}
		p := ncl.NewPublisher(js.Conn(), codec())
		if _, err := p.Request(ctx, ncl.PublishRequest{Subject: "ctrl.a", Message: failing}); refusal(err) != "internal error" {
			t.Errorf("Request = %v", err)
		}
		if err := p.Publish(ctx, ncl.PublishRequest{Subject: "notes", Message: note(1)}); err != nil {
			t.Error(err)
		}
		f, err := orderedPublisher(t, js).PublishAsync(ctx, ncl.PublishRequest{Subject: "notes", Message: note(1)})
		if err != nil {
			t.Error(err)
			return
		}
		if err := outcome(t, f); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-done:
	case <-patient(t).Done():
		t.Fatal("something waits")
	}
}

// TestRequestsEndInTime, as their contexts say.
func TestRequestsEndInTime(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	nc := srv.Connect(t)
	if _, err := nc.SubscribeSync("ctrl.a"); err != nil { // which hears and says nothing
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (asking{ncl.NewPublisher(nc, codec())}).ask(ctx, 1); err == nil {
		t.Error("answered by nobody")
	}
	if err := ncl.NewPublisher(nc, codec()).Publish(ctx, ncl.PublishRequest{Subject: "ctrl.a", Message: note(1)}); err == nil {
		t.Error("published after the end")
	}
}
