package store

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

func counterBucket(t *testing.T, srv *natstest.Server, replicas int) *bucket {
	t.Helper()
	js := srv.JetStream(t)
	cfg := layout("counters", replicas)
	var stream jetstream.Stream
	natstest.Eventually(t, "the bucket is there", func() bool {
		var err error
		stream, err = ensureStream(t.Context(), js, cfg)
		return err == nil
	})
	return &bucket{name: "counters", prefix: subjectPrefix("counters"), js: js, stream: stream, conflicts: newConflicts(nil).WithLabelValues("counters"), refusal: new(jet.Refusal)}
}

// count lets many writers add one, and checks that nothing is lost.
func count(t *testing.T, buckets []*bucket, writers, each int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range writers {
		b := buckets[i%len(buckets)]
		wg.Go(func() {
			for range each {
				_, err := b.change(context.Background(), "n", func(m message) (*write, error) {
					n, err := strconv.Atoi("0" + string(m.Data))
					return &write{data: strconv.AppendInt(nil, int64(n+1), 10)}, err
				})
				if err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
	if m, err := buckets[0].value(t.Context(), "n"); err != nil || string(m.Data) != strconv.Itoa(writers*each) {
		t.Errorf("counted %s, %v; want %d", m.Data, err, writers*each)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	count(t, []*bucket{counterBucket(t, srv, 1), counterBucket(t, srv, 1)}, 64, 4)
}

func TestManyWritersLoseNothingInACluster(t *testing.T) {
	t.Parallel()
	servers := natstest.StartCluster(t, 3).Servers
	buckets := make([]*bucket, len(servers))
	for i, srv := range servers {
		buckets[i] = counterBucket(t, srv, 3)
	}
	count(t, buckets, 24, 4)
	readsOfLeader(t, buckets[1])
}

// readsOfLeader checks that what the leader says reads like a direct answer.
func readsOfLeader(t *testing.T, b *bucket) {
	t.Helper()
	src := Source{Seq: 7, Bus: time.Date(2026, 12, 1, 0, 0, 0, 5, time.UTC)}
	if _, err := b.change(t.Context(), "gone", func(message) (*write, error) {
		return &write{marker: true, ttl: time.Hour, source: src}, nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"n", "gone", "never"} {
		leader, err := b.newest(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		natstest.Eventually(t, "a direct read of "+key+" says the same", func() bool {
			direct, err := b.last(t.Context(), key)
			return err == nil && direct.Revision == leader.Revision && direct.live() == leader.live() &&
				string(direct.Data) == string(leader.Data) && direct.Stored.Equal(leader.Stored) &&
				sourceOf(direct.Header).equal(sourceOf(leader.Header))
		})
	}
	if m, err := b.newest(t.Context(), "gone"); err != nil || m.live() || !sourceOf(m.Header).equal(src) {
		t.Errorf("marker = %+v, %v", m, err)
	}
}

func TestChangeStopsWithItsContext(t *testing.T) {
	t.Parallel()
	b := counterBucket(t, natstest.Start(t), 1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.change(ctx, "n", func(m message) (*write, error) {
		// Somebody else is always faster.
		if _, err := b.js.Publish(context.Background(), b.prefix+"n", []byte("1")); err != nil {
			return nil, err
		}
		cancel()
		return &write{data: []byte("2")}, nil
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
		t.Errorf("error = %v", err)
	}
}
