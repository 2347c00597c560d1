package events_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// TestADeafListenerSaysSo holds that a listener that hears nothing of the bus is not taken for one that
// has nothing to do: here it may make its consumer, and not read it.
func TestADeafListenerSaysSo(t *testing.T) {
	t.Parallel()
	deny := &server.SubjectPermission{Deny: []string{"$JS.API.CONSUMER.MSG.NEXT.OC_BUS.>"}}
	srv := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "deaf", Password: "pw", Permissions: &server.Permissions{Publish: deny}}, {Username: "free", Password: "pw"}}
	})
	for user, deaf := range map[string]bool{"deaf": true, "free": false} {
		bus, err := events.OpenBus(t.Context(), srv.JetStream(t, nats.UserInfo(user, "pw")), 1)
		if err != nil {
			t.Fatal(err)
		}
		var h recorder
		listener := events.NewListener(bus, &h, slog.New(slog.DiscardHandler), nil)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- listener.Run(ctx) }()
		if deaf {
			natstest.Eventually(t, "it says that it is deaf", func() bool { return listener.Deaf() != nil })
		} else {
			publish(t, srv.JetStream(t, nats.UserInfo(user, "pw")), events.Propagation, plannerEvent(t, "PB_PLANNER", `{"peer_id":"p"}`))
			h.await(t, 1)
			if err := listener.Deaf(); err != nil {
				t.Errorf("%s: %v", user, err)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestTheFirstFailureIsWarnedOf holds that nobody has to wait for the fifth, and that a row of them is
// one line.
func TestTheFirstFailureIsWarnedOf(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	bus, err := events.OpenBus(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	h := recorder{answer: func(context.Context, call) error { return errors.New("the bucket takes nothing") }}
	var log lockedBuffer
	listener := events.NewListener(bus, &h, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})), nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- listener.Run(ctx) }()
	for range 3 {
		publish(t, js, events.Propagation, plannerEvent(t, "PB_PLANNER", `{"peer_id":"p"}`))
	}
	h.await(t, 3)
	natstest.Eventually(t, "the warning", func() bool { return strings.Contains(log.String(), "event failed") })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	n := strings.Count(log.String(), "event failed") - strings.Count(log.String(), "attempt=5 ") // which has a line of its own
	if n != 1 || !strings.Contains(log.String(), "the bucket takes nothing") {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
}
