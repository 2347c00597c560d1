package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/doctor"
	"oc-scheduler/store"
)

// TestWhatStandsInBuckets provokes each finding about values, and each by itself.
func TestWhatStandsInBuckets(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm  func(t *testing.T, w *ward)
		level doctor.Level
		check string
		what  []string
		ill   []string // further checks that have something to say
	}{
		"a planner without TTL": {
			func(t *testing.T, w *ward) { w.put(t, "planners", "hand", plannerJSON("hand", time.Now())) },
			doctor.Warn, "planners",
			[]string{"1 planner without TTL: hand"},
			nil,
		},
		"a planner from the future": {
			func(t *testing.T, w *ward) {
				w.put(t, "planners", "early", plannerJSON("early", time.Now().Add(time.Hour)))
			},
			doctor.Warn, "planners",
			[]string{"more than 5 min ahead", "early by "},
			nil,
		},
		"a planner of a fast clock": {
			func(t *testing.T, w *ward) {
				w.put(t, "planners", "fast", plannerJSON("fast", time.Now().Add(time.Minute)))
			},
			doctor.Warn, "planners",
			[]string{"ahead of the arrival", "fast by "},
			nil,
		},
		"broken values": {
			func(t *testing.T, w *ward) {
				for _, bucket := range []string{"workflows", "interest", "requests", "replicas"} {
					w.put(t, bucket, "junk", "junk")
				}
			},
			doctor.Warn, "values",
			[]string{"4 values", "workflows junk: ", "replicas junk: "},
			nil,
		},
		"more of them than a line holds": {
			func(t *testing.T, w *ward) {
				for i := range 8 {
					w.put(t, "workflows", fmt.Sprintf("w%d", i), "[]")
				}
			},
			doctor.Warn, "values",
			[]string{"8 values", "workflows w0", "and 3 more"},
			nil,
		},
		"interest of a dead replica": {
			func(t *testing.T, w *ward) {
				for _, replica := range []string{"r1", "dead"} {
					if err := w.st.Interest.Add(t.Context(), "peer-a", replica); err != nil {
						t.Fatal(err)
					}
				}
			},
			doctor.Warn, "interest",
			[]string{"1 peer held by replicas without a lease: peer-a (dead)"},
			nil,
		},
		"an end that nobody finished": {
			func(t *testing.T, w *ward) { w.put(t, "interest", "peer-b", `{"replicas":[]}`) },
			doctor.Warn, "interest",
			[]string{"1 peer with an empty list", "peer-b"},
			nil,
		},
		"a lease without TTL": {
			func(t *testing.T, w *ward) { w.put(t, "replicas", "ghost", `{"version":"v0"}`) },
			doctor.Fail, "leases",
			[]string{"seem alive for ever: ghost"},
			nil,
		},
		"dead letters": {
			func(t *testing.T, w *ward) {
				for _, reason := range []string{"undecodable", "invalid_id", "undecodable"} {
					letter := nats.NewMsg("oc.dead.CREATE_RESOURCE")
					letter.Header.Set("Oc-Reason", reason)
					if _, err := w.js.PublishMsg(t.Context(), letter); err != nil {
						t.Fatal(err)
					}
				}
			},
			doctor.Warn, "dead letters",
			[]string{"3 messages", "newest 3", "1 invalid_id, 2 undecodable"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := admit(t)
			w.lease(t, "r1")
			tc.harm(t, w)
			found := doctor.Run(t.Context(), w.cfg)
			want(t, found, tc.level, tc.check, tc.what...)
			wantRest(t, found, tc.check, "planners", "consumers") // nobody reads the durables of this one
		})
	}
}

func TestNoReplicaLives(t *testing.T) {
	t.Parallel()
	want(t, doctor.Run(t.Context(), admit(t).cfg), doctor.Warn, "leases", "no replica lives")
}

// TestOldDeadLetters are no news.
func TestOldDeadLetters(t *testing.T) {
	t.Parallel()
	w := admit(t)
	if _, err := w.js.Publish(t.Context(), "oc.dead.CREATE_RESOURCE", nil); err != nil {
		t.Fatal(err)
	}
	w.cfg.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	want(t, doctor.Run(t.Context(), w.cfg), doctor.OK, "dead letters", "1 message")
}

func TestForeignStreams(t *testing.T) {
	t.Parallel()
	w := newServer(t)
	for _, cfg := range []jetstream.StreamConfig{
		{Name: "KV_workflows", Subjects: []string{"$KV.workflows.>"}, MaxMsgsPerSubject: 5, AllowDirect: true},
		{Name: "OC_BUS_DEAD", Subjects: []string{"oc.dead.>"}, MaxAge: time.Hour},
		{Name: "THEIRS", Subjects: []string{"CREATE_RESOURCE"}},
	} {
		if _, err := w.js.CreateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	found := doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.Fail, "streams", "KV_workflows", "MaxMsgsPerSubject is 5, must be 1")
	want(t, found, doctor.Fail, "streams", "OC_BUS_DEAD", "max_age is 1h0m0s, must be 720h0m0s")
	want(t, found, doctor.Fail, "streams", "OC_BUS cannot be made", "stream THEIRS captures CREATE_RESOURCE")
	want(t, found, doctor.Warn, "streams", "not there: KV_interest")
	for _, f := range found {
		if f.Check == "streams" && f.Level == doctor.OK {
			t.Errorf("%s", f.What)
		}
	}
}

func TestReplicationThatIsAskedFor(t *testing.T) {
	t.Parallel()
	w := admit(t)
	w.cfg.Copies = 3
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Fail, "streams", "KV_planners", "Replicas (--js-replicas) is 1, must be 3")
}

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

// TestABacklog provokes what a replica that hangs, or fails on each event, looks like from outside.
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

func TestServerSettings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*server.Options)
		level  doctor.Level
		check  string
		what   []string
	}{
		"no JetStream":         {func(o *server.Options) { o.JetStream = false }, doctor.Fail, "jetstream", []string{"not enabled on the server"}},
		"default max_payload":  {func(o *server.Options) { o.MaxPayload = 1 << 20 }, doctor.Fail, "nats", []string{"max_payload is 1048576 bytes"}},
		"8 MiB max_payload":    {func(o *server.Options) { o.MaxPayload = 8 << 20 }, doctor.Warn, "nats", []string{"max_payload is 8388608 bytes", "dead letters"}},
		"no sync":              {func(o *server.Options) { o.SyncAlways = false }, doctor.Warn, "fsync", []string{"reach the disk every 2m0s"}},
		"sync now and then":    {func(o *server.Options) { o.SyncAlways, o.SyncInterval = false, time.Second }, doctor.Warn, "fsync", []string{"every 1s"}},
		"monitored, no stream": {func(o *server.Options) { o.JetStream = false }, doctor.Fail, "fsync", []string{"JetStream is not enabled"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newServer(t, tc.change)
			want(t, doctor.Run(t.Context(), w.cfg), tc.level, tc.check, tc.what...)
		})
	}
}

func TestTheDiskFillsUp(t *testing.T) {
	t.Parallel()
	w := newServer(t, func(o *server.Options) { o.JetStreamMaxStore = 1 << 20 })
	if _, err := w.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.js.Publish(t.Context(), "s", make([]byte, 900<<10)); err != nil {
		t.Fatal(err)
	}
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Warn, "fsync", "natstest: max_file_store: 88 %")
	if _, err := w.js.Publish(t.Context(), "s", make([]byte, 110<<10)); err != nil {
		t.Fatal(err)
	}
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Fail, "fsync", "max_file_store: 99 %")
}

func TestClocks(t *testing.T) {
	t.Parallel()
	w := admit(t)
	for by, tc := range map[time.Duration]struct {
		level doctor.Level
		what  string
	}{
		0:                {doctor.OK, "this machine's"},
		10 * time.Second: {doctor.Warn, "s behind this machine's"},
		-time.Minute:     {doctor.Fail, "s ahead of this machine's"},
	} {
		w.cfg.Now = func() time.Time { return time.Now().Add(by) }
		want(t, doctor.Run(t.Context(), w.cfg), tc.level, "clock", "NATS server natstest", tc.what)
	}
}
