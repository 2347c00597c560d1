package ncl_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/ncl"
)

func TestCloseAnswersWhatHasCome(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := stuck{make(chan context.Context, 1000), make(chan struct{})}
	r := responder(t, srv, func(c *ncl.ResponderConfig) { c.Handler, c.Timeout = s, time.Minute })
	a := asker(t, srv)
	result := make(chan error, 1)
	go func() { result <- a.ask(patient(t), 1) }()
	handling := <-s.entered
	ended := make(chan error, 1)
	go func() { ended <- r.Close(patient(t)) }()
	natstest.Eventually(t, "nobody listens any more", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond) // some may still be let in
		defer cancel()
		return errors.Is(a.ask(ctx, 2), ncl.ErrNoResponders)
	})
	select {
	case <-handling.Done():
		t.Error("the handler's context ended with the listening")
	case err := <-ended:
		t.Errorf("Close = %v while a request is being handled", err)
		ended <- err
	case <-time.After(200 * time.Millisecond): // it would have come by now
	}
	close(s.leave)
	if err := errors.Join(<-result, <-ended); err != nil {
		t.Error(err)
	}
}

func TestCloseIsBoundedByItsContext(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := stuck{entered: make(chan context.Context, 1)}
	r := responder(t, srv, func(c *ncl.ResponderConfig) { c.Handler = s })
	result := make(chan error, 1)
	go func() { result <- asker(t, srv).ask(patient(t), 1) }()
	<-s.entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close = %v", err)
	}
	if reason := refusal(<-result); reason != "took too long" {
		t.Errorf("refused: %q", reason)
	}
}

// TestAResponderOutlivesItsServer, and ends without one.
func TestAResponderOutlivesItsServer(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	r := responder(t, srv)
	a := asker(t, srv)
	srv.Restart(t)
	natstest.Eventually(t, "it answers again", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return a.ask(ctx, 1) == nil
	})
	srv.Stop()
	if err := r.Close(patient(t)); err != nil {
		t.Error(err)
	}
}

func TestAResponderListensOnce(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	r := responder(t, srv)
	if err := r.Listen(t.Context()); !errors.Is(err, ncl.ErrStarted) {
		t.Error("it listens twice:", err)
	}
	nc := srv.Connect(t)
	config := ncl.ResponderConfig{Conn: nc, Subject: "ctrl.*", Codec: codec(), Handler: ncl.ByType{}}
	r, err := ncl.NewResponder(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Errorf("Close before Listen = %v", err)
	}
	if err := r.Listen(t.Context()); !errors.Is(err, ncl.ErrClosed) {
		t.Errorf("Listen after Close = %v", err)
	}
	if r, err = ncl.NewResponder(config); err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if err := r.Listen(t.Context()); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("Listen without a connection = %v", err)
	}
	srv.Stop()
	config.Conn = r.Conn
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Listen(ctx); err == nil {
		t.Error("it listens to nothing")
	}
}
