package doctor_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/doctor"
	"oc-scheduler/store"
)

func TestConsumers(t *testing.T) {
	t.Parallel()
	w := admit(t)
	w.lease(t, "r1")
	ctx := t.Context()
	if err := w.js.DeleteConsumer(ctx, "OC_BUS", "oc-scheduler"); err != nil {
		t.Fatal(err)
	}
	pause := time.Now().Add(time.Hour)
	for stream, cfg := range map[string]jetstream.ConsumerConfig{
		"OC_BUS":       {Durable: "oc-scheduler", AckPolicy: jetstream.AckAllPolicy, PauseUntil: &pause},
		"KV_planners":  {Durable: "old", AckPolicy: jetstream.AckExplicitPolicy},
		"KV_workflows": {Name: "gone", AckPolicy: jetstream.AckNonePolicy, InactiveThreshold: time.Hour},
	} {
		if _, err := w.js.CreateConsumer(ctx, stream, cfg); err != nil {
			t.Fatal(err)
		}
	}
	watcher, err := w.js.KeyValue(ctx, store.InterestBucket)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := watcher.WatchAll(ctx) // an operator's `nats kv watch` is no fault
	if err != nil {
		t.Fatal(err)
	}
	<-watch.Updates()
	found := doctor.Run(ctx, w.cfg)
	want(t, found, doctor.Fail, "consumers", "consumer oc-scheduler of OC_BUS", "ack_policy is AckAll, must be AckExplicit")
	want(t, found, doctor.Fail, "consumers", "OC_BUS is paused")
	want(t, found, doctor.Warn, "consumers", "oc-scheduler-ends of KV_planners: replicas live, but none of them reads it")
	want(t, found, doctor.Warn, "left over", "not of oc-scheduler: KV_planners old")
	idle := want(t, found, doctor.Warn, "left over", "nobody reads: KV_workflows gone")
	if idle.What != "consumers that nobody reads: KV_workflows gone" {
		t.Errorf("%s", idle.What)
	}
	if err := watch.Stop(); err != nil {
		t.Error(err)
	}
	for range watch.Updates() { // until it is closed, else it never ends
	}
}

func TestAMissingDurable(t *testing.T) {
	t.Parallel()
	w := admit(t)
	if err := w.js.DeleteConsumer(t.Context(), "OC_BUS", "oc-scheduler"); err != nil {
		t.Fatal(err)
	}
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Warn, "consumers", "oc-scheduler of OC_BUS is not there")
}

func TestABacklog(t *testing.T) {
	t.Parallel()
	w := admit(t)
	ctx := t.Context()
	for range 1100 {
		if _, err := w.js.PublishAsync("PROPALGATION_EVENT", []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	<-w.js.PublishAsyncComplete()
	c, err := w.js.Consumer(ctx, "OC_BUS", "oc-scheduler")
	if err != nil {
		t.Fatal(err)
	}
	for redelivered := false; !redelivered; { // the last one is kept in hand
		m, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		md, err := m.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		if redelivered = md.NumDelivered > 1; !redelivered {
			if err := m.Nak(); err != nil {
				t.Fatal(err)
			}
		}
	}
	found := doctor.Run(ctx, w.cfg)
	want(t, found, doctor.Warn, "consumers", "of OC_BUS: 10", "wait to be read")
	want(t, found, doctor.Warn, "consumers", "of OC_BUS: 1 are delivered again")
}
