package kv_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

// releases are replicas of several releases on one server or cluster.
type releases struct {
	connect func(testing.TB, ...nats.Option) *nats.Conn
	copies  int
}

var (
	before = kv.Layout{Bucket: "b"}
	after  = kv.Layout{
		Bucket: "b", Beside: []string{"beside.*"}, MarkerTTL: 24 * time.Hour, Batches: true, Schedules: true,
		Version: jet.Version{Layout: 2, Least: 1},
	}
)

// start opens the bucket as a replica does, again and again until it can, or needs an operator.
func (r releases) start(t *testing.T, l kv.Layout) (keys *kv.Keys, err error) {
	t.Helper()
	js, err := jetstream.New(r.connect(t))
	if err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the replica starts or gives up", func() bool {
		var streams []*kv.Stream
		streams, err = kv.Open(t.Context(), js, kv.Config{Replicas: r.copies, Log: slog.New(slog.DiscardHandler)}, l)
		if err == nil {
			keys = streams[0].Keys(kv.BucketSpace(l.Bucket))
		}
		return !errors.Is(err, kv.ErrUnavailable)
	})
	return keys, err
}

func TestABucketGrows(t *testing.T) {
	t.Parallel()
	releases{natstest.Start(t).Connect, 1}.grow(t)
}

func TestABucketGrowsInACluster(t *testing.T) {
	t.Parallel()
	releases{natstest.StartCluster(t, 3).Connect, 3}.grow(t)
}

// grow has three replicas of a newer release start at once beside one of an older, which goes on.
func (r releases) grow(t *testing.T) {
	t.Helper()
	old, err := r.start(t, before)
	if err != nil {
		t.Fatal(err)
	}
	view := kv.NewView(old, func(_ kv.Key, m kv.Message) (string, error) { return string(m.Data), nil })
	natstest.Run(t, view.Run)
	revision, err := old.Swap(t.Context(), kv.KeyOf("k"), 0, text("of the older release"))
	if err != nil {
		t.Fatal(err)
	}
	var replicas sync.WaitGroup
	for range 3 {
		replicas.Go(func() {
			if keys, err := r.start(t, after); err != nil {
				t.Error(err)
			} else if m, err := keys.Value(t.Context(), kv.KeyOf("k")); err != nil || string(m.Data) != "of the older release" || m.Revision != revision {
				t.Errorf("%+v, %v", m, err)
			}
		})
	}
	replicas.Wait()
	keys, err := r.start(t, after)
	if err != nil {
		t.Fatal(err)
	}
	b := keys.NewBatch()
	if err := errors.Join(b.SetAt(keys, kv.KeyOf("k"), revision, text("of the newer")), b.SetAt(keys, kv.KeyOf("l"), 0, text("of the newer"))); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the older replica sees it", func() bool {
		k, _ := view.Get("k")
		l, _ := view.Get("l")
		return k.Value == "of the newer" && l.Value == k.Value
	})
	if _, err := r.start(t, before); err != nil {
		t.Errorf("the older release cannot start again: %v", err)
	}
}

// TestABucketOutgrowsARelease that cannot work with what it has become.
func TestABucketOutgrowsARelease(t *testing.T) {
	t.Parallel()
	r := releases{natstest.Start(t).Connect, 1}
	latest := after
	latest.Version = jet.Version{Layout: 3}
	for _, l := range []kv.Layout{before, after, latest} {
		if _, err := r.start(t, l); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range []kv.Layout{before, after} {
		if _, err := r.start(t, l); !jet.NeedsOperator(err) {
			t.Errorf("layout %d starts on layout 3: %v", max(l.Version.Layout, 1), err)
		}
	}
}
