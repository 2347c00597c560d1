package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
)

func TestValidateNamesTheFlags(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg  store.Config
		want []string
	}{
		"defaults":       {store.Config{}, nil},
		"five":           {store.Config{Replicas: 5, PlannerTTL: time.Second}, nil},
		"two replicas":   {store.Config{Replicas: 2}, []string{"--js-replicas: 2"}},
		"both":           {store.Config{Replicas: -1, PlannerTTL: 1500 * time.Millisecond}, []string{"--js-replicas", "--planner-ttl: 1.5s"}},
		"below a second": {store.Config{PlannerTTL: 300 * time.Millisecond}, []string{"--planner-ttl: 300ms"}},
		"negative":       {store.Config{PlannerTTL: -time.Second}, []string{"--planner-ttl"}},
	} {
		err := tc.cfg.Validate()
		if (err == nil) != (tc.want == nil) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not name %q", name, err, want)
			}
		}
	}
}

func tryOpen(ctx context.Context, js jetstream.JetStream, cfg store.Config) error {
	_, err := store.Open(ctx, js, cfg, discard, nil)
	return err
}

func TestOpenAgainChangesNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	results := make(chan error)
	for range 8 {
		go func() { results <- tryOpen(context.Background(), js, store.Config{}) }()
	}
	for range 8 {
		if err := natstest.Receive(t, results); err != nil {
			t.Error(err)
		}
	}
	stream, err := js.Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	if !cfg.AllowMsgTTL || cfg.SubjectDeleteMarkerTTL != 24*time.Hour || cfg.MaxMsgsPerSubject != 1 || !cfg.AllowAtomicPublish ||
		!cfg.AllowMsgSchedules || cfg.Discard != jetstream.DiscardOld || cfg.Storage != jetstream.FileStorage {
		t.Errorf("configuration = %+v", cfg)
	}
	cfg.Description = "an operator's note"
	if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if err := tryOpen(t.Context(), js, store.Config{PlannerTTL: time.Hour}); err != nil {
		t.Errorf("a note is taken for a foreign configuration: %v", err)
	}
}

func TestAForeignConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		create func(ctx context.Context, js jetstream.JetStream) error
		cfg    store.Config
		want   []string
	}{
		"a bucket of another program": {func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "planners", History: 5, Storage: jetstream.MemoryStorage})
			return err
		}, store.Config{}, []string{"KV_planners", "max_msgs_per_subject is 5, must be 1", "storage is Memory, must be File", "allow_msg_ttl is false, must be true", "subject_delete_marker_ttl is 0s, must be 24h0m0s"}},
		"a bucket with an age limit": {func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "requests", TTL: time.Hour, LimitMarkerTTL: time.Hour})
			return err
		}, store.Config{}, []string{"KV_requests", "max_age is 1h0m0s, must be 0s"}},
		"captured subjects": {func(ctx context.Context, js jetstream.JetStream) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "ALL", Subjects: []string{"$KV.>"}})
			return err
		}, store.Config{}, []string{"KV_planners", "KV_requests", "already captured by stream ALL"}},
		"a consumer of another program": {func(ctx context.Context, js jetstream.JetStream) error {
			if err := tryOpen(ctx, js, store.Config{}); err != nil {
				return err
			}
			if err := js.DeleteConsumer(ctx, "KV_planners", "oc-scheduler-ends"); err != nil {
				return err
			}
			_, err := js.CreateConsumer(ctx, "KV_planners", jetstream.ConsumerConfig{Durable: "oc-scheduler-ends", AckPolicy: jetstream.AckAllPolicy})
			return err
		}, store.Config{}, []string{"oc-scheduler-ends", "ack_policy", "headers_only is false, must be true"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			js := natstest.Start(t).JetStream(t)
			if err := tc.create(t.Context(), js); err != nil {
				t.Fatal(err)
			}
			err := tryOpen(t.Context(), js, tc.cfg)
			if _, ok := errors.AsType[*jet.ForeignError](err); !ok {
				t.Fatalf("error = %v", err)
			}
			if errors.Is(err, kv.ErrUnavailable) {
				t.Error("it would be tried again")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestCopiesNeedACluster(t *testing.T) {
	t.Parallel()
	err := tryOpen(t.Context(), natstest.Start(t).JetStream(t), store.Config{Replicas: 3})
	if _, ok := errors.AsType[*jet.NoClusterError](err); !ok || err.Error() != "--js-replicas: 3 needs a NATS cluster; this server has none" {
		t.Errorf("error = %v", err)
	}
}

// TestBucketsOfAnEarlierRelease holds that descriptions, which those lack, are no difference.
func TestBucketsOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	for _, e := range store.Expect(1) {
		if e.Stream.Description == "" {
			t.Errorf("%s has no description", e.Stream.Name)
		}
		e.Stream.Description = ""
		if _, err := js.CreateStream(t.Context(), e.Stream); err != nil {
			t.Fatal(err)
		}
	}
	if err := tryOpen(t.Context(), js, store.Config{}); err != nil {
		t.Error(err)
	}
}

func TestOutOfReach(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	reg := prometheus.NewRegistry()
	st, js := running(t, srv, store.Config{})
	raw := plannerJSON("p", now, 1)
	pl := decode(t, raw)
	apply(t, st, raw, at(1))
	shows(t, st, "p", func(planners.Record) bool { return true })
	srv.Stop()
	natstest.Eventually(t, "it is noticed", func() bool { return !js.Conn().IsConnected() && !st.Planners.View().Current() })
	_, err := store.Open(t.Context(), js, store.Config{}, discard, reg)
	wantErr(t, err, kv.ErrUnavailable)
	for _, src := range []origin.Source{at(2), {}} {
		_, err = st.Planners.Apply(t.Context(), raw, pl, src)
		wantErr(t, err, kv.ErrUnavailable)
	}
	_, _, err = st.Planners.Raw(t.Context(), "p")
	wantErr(t, err, kv.ErrUnavailable)
	wantErr(t, st.Planners.End(t.Context(), "p", "", always), kv.ErrUnavailable)
	wantErr(t, st.Interest.Add(t.Context(), "p", "r"), kv.ErrUnavailable)
	_, _, _, err = st.Workflows.Put(t.Context(), "w", workflowJSON("w", "x"), store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{})
	wantErr(t, err, kv.ErrUnavailable)
	if _, ok := st.Planners.View().Get("p"); !ok {
		t.Error("the view has lost what it knew")
	}
	srv.Restart(t)
	natstest.Eventually(t, "the connection is back", js.Conn().IsConnected)
	if _, err := store.Open(t.Context(), js, store.Config{}, discard, reg); err != nil {
		t.Errorf("opening again: %v", err)
	}
	value, _, err := st.Planners.Raw(t.Context(), "p")
	if err != nil || !strings.Contains(string(value), `"source_seq":1}`) {
		t.Errorf("a write that was refused has happened: %s, %v", value, err)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	js := natstest.Start(t).JetStream(t)
	st, err := store.Open(t.Context(), js, store.Config{}, discard, reg)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, st.Run)
	apply(t, st, plannerJSON("p", now, 1), at(1))
	shows(t, st, "p", func(planners.Record) bool { return true })
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, f := range families {
		got[f.GetName()] = len(f.GetMetric())
		if f.GetName() == "oc_scheduler_planners_cached" && f.GetMetric()[0].GetGauge().GetValue() != 1 {
			t.Errorf("%v", f)
		}
	}
	buckets := len(store.Expect(1))
	for name, series := range map[string]int{
		"oc_scheduler_view_age_seconds": buckets, "oc_scheduler_view_broken_values": buckets, "oc_scheduler_view_resyncs_total": buckets,
		"oc_scheduler_kv_conflicts_total": buckets, "oc_scheduler_planners_cached": 1,
	} {
		if got[name] != series {
			t.Errorf("%s has %d series, want %d", name, got[name], series)
		}
	}
}
