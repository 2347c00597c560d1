package events_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

func TestBusIsAsTheContractSays(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	var replicas sync.WaitGroup
	for range 8 { // all at once, and again: the same bus for everybody
		replicas.Go(func() {
			for range 2 {
				if _, err := events.OpenBus(t.Context(), js, 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	replicas.Wait()
	bus, err := js.Stream(t.Context(), "OC_BUS")
	if err != nil {
		t.Fatal(err)
	}
	if c := bus.CachedInfo().Config; c.MaxAge != 24*time.Hour || c.MaxMsgSize != 8<<20 || len(c.Subjects) != 3 || c.Storage != jetstream.FileStorage {
		t.Errorf("OC_BUS: %+v", c)
	}
	dead, err := js.Stream(t.Context(), "OC_BUS_DEAD")
	if err != nil {
		t.Fatal(err)
	}
	if c := dead.CachedInfo().Config; c.MaxAge != 30*24*time.Hour || c.Duplicates != 24*time.Hour || c.Subjects[0] != "oc.dead.>" {
		t.Errorf("OC_BUS_DEAD: %+v", c)
	}
	consumer, err := bus.Consumer(t.Context(), "oc-scheduler")
	if err != nil {
		t.Fatal(err)
	}
	if c := consumer.CachedInfo().Config; c.AckWait != 10*time.Second || c.MaxAckPending != 8000 || c.AckPolicy != jetstream.AckExplicitPolicy {
		t.Errorf("oc-scheduler: %+v", c)
	}
}

// TestDeadLettersOfAnOlderLayout come to a bound on their bytes, and stay.
func TestDeadLettersOfAnOlderLayout(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	needed := events.Expect(1)[1].Stream
	older := needed
	older.MaxBytes, older.Metadata = -1, jet.Version{Layout: 1}.Mark(nil)
	if _, err := js.CreateStream(t.Context(), older); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "oc.dead.x", []byte("letter")); err != nil {
		t.Fatal(err)
	}
	if _, err := events.OpenBus(t.Context(), js, 1); err != nil {
		t.Fatal(err)
	}
	dead, err := js.Stream(t.Context(), events.DeadStream)
	if err != nil {
		t.Fatal(err)
	}
	if info := dead.CachedInfo(); info.Config.MaxBytes != needed.MaxBytes || needed.MaxBytes <= 0 || info.Config.Discard != jetstream.DiscardOld || info.State.Msgs != 1 {
		t.Errorf("%+v, %d letters", info.Config, info.State.Msgs)
	}
}

func TestForeignConfigurationsAreNamed(t *testing.T) {
	t.Parallel()
	subjects := []string{events.Propagation, events.CreateResource, events.RemoveResource}
	for name, tc := range map[string]struct {
		stream   jetstream.StreamConfig
		consumer *jetstream.ConsumerConfig
		replicas int
		want     []string
	}{
		"other life":     {stream: jetstream.StreamConfig{Name: "OC_BUS", Subjects: subjects, MaxAge: time.Hour}, want: []string{"stream OC_BUS", "max_age is 1h0m0s, must be 24h0m0s", "max_msg_size is -1, must be 8388608"}},
		"other subjects": {stream: jetstream.StreamConfig{Name: "OC_BUS", Subjects: []string{"x"}}, want: []string{"stream OC_BUS", "subjects is [x]"}},
		"dead letters":   {stream: jetstream.StreamConfig{Name: "OC_BUS_DEAD", Subjects: []string{"oc.dead.>"}}, want: []string{"stream OC_BUS_DEAD", "duplicate_window is 2m0s, must be 24h0m0s"}},
		"captured":       {stream: jetstream.StreamConfig{Name: "AUDIT", Subjects: []string{"a", events.CreateResource}}, want: []string{"stream OC_BUS", "CREATE_RESOURCE", "AUDIT"}},
		"all captured":   {stream: jetstream.StreamConfig{Name: "AUDIT", Subjects: []string{"*"}}, want: []string{"stream OC_BUS", "PROPALGATION_EVENT", "AUDIT"}},
		"dead captured":  {stream: jetstream.StreamConfig{Name: "AUDIT", Subjects: []string{"oc.dead.*"}}, want: []string{"stream OC_BUS_DEAD", "oc.dead.>", "AUDIT"}},
		"consumer":       {consumer: &jetstream.ConsumerConfig{Durable: "oc-scheduler", AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: events.CreateResource, MaxDeliver: 3}, want: []string{"consumer oc-scheduler of stream OC_BUS", "filter_subject is CREATE_RESOURCE", "ack_wait is 30s, must be 10s", "max_deliver is 3, must be -1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			js := natstest.Start(t).JetStream(t)
			if tc.consumer != nil {
				if _, err := events.OpenBus(t.Context(), js, 1); err != nil {
					t.Fatal(err)
				}
				replaceConsumer(t, js, *tc.consumer)
			} else if _, err := js.CreateStream(t.Context(), tc.stream); err != nil {
				t.Fatal(err)
			}
			_, err := events.OpenBus(t.Context(), js, 1)
			var foreign *jet.ForeignError
			if !errors.As(err, &foreign) {
				t.Fatalf("error = %v", err)
			}
			if err.Error() != foreign.Error() {
				t.Errorf("%q says twice what it is about", err)
			}
			for _, want := range tc.want {
				if !strings.Contains(foreign.Error(), want) {
					t.Errorf("%q does not tell of %q", foreign.Error(), want)
				}
			}
		})
	}
}

// replaceConsumer is faster than a Listener that makes its consumer again.
func replaceConsumer(t *testing.T, js jetstream.JetStream, c jetstream.ConsumerConfig) {
	t.Helper()
	natstest.Eventually(t, "another consumer", func() bool {
		if err := js.DeleteConsumer(t.Context(), events.Stream, events.Durable); err != nil {
			t.Fatal(err)
		}
		_, err := js.CreateConsumer(t.Context(), events.Stream, c)
		return err == nil
	})
}

func TestOutOfReachIsNoConfigurationFault(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	s.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := events.OpenBus(ctx, js, 1)
	var foreign *jet.ForeignError
	if err == nil || errors.As(err, &foreign) {
		t.Errorf("error = %v", err)
	}
}

func TestListenerEndsForAForeignConsumer(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	bus, err := events.OpenBus(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- events.NewListener(bus, &recorder{}, slog.New(slog.DiscardHandler), nil).Run(t.Context())
	}()
	replaceConsumer(t, js, jetstream.ConsumerConfig{Durable: events.Durable, AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: 3})
	var foreign *jet.ForeignError
	if err := <-done; !errors.As(err, &foreign) {
		t.Errorf("Run = %v", err)
	}
}
