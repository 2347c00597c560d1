package kv

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
)

func counters(t *testing.T, srv *natstest.Server, replicas int) *Keys {
	t.Helper()
	js := srv.JetStream(t)
	var streams []*Stream
	natstest.Eventually(t, "the bucket is there", func() bool {
		var err error
		streams, err = Open(t.Context(), js, Config{Replicas: replicas, Log: slog.New(slog.DiscardHandler)}, Layout{Bucket: "counters"})
		return err == nil
	})
	return streams[0].Keys(BucketSpace("counters"))
}

// count lets many writers add one, and checks that nothing is lost.
func count(t *testing.T, buckets []*Keys, writers, each int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range writers {
		b := buckets[i%len(buckets)]
		wg.Go(func() {
			for range each {
				_, err := b.Change(context.Background(), "n", func(m Message) (*Write, error) {
					n, err := strconv.Atoi("0" + string(m.Data))
					return &Write{Data: strconv.AppendInt(nil, int64(n+1), 10)}, err
				})
				if err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
	if m, err := buckets[0].Value(t.Context(), "n"); err != nil || string(m.Data) != strconv.Itoa(writers*each) {
		t.Errorf("counted %s, %v; want %d", m.Data, err, writers*each)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	count(t, []*Keys{counters(t, srv, 1), counters(t, srv, 1)}, 64, 4)
}

func TestManyWritersLoseNothingInACluster(t *testing.T) {
	t.Parallel()
	servers := natstest.StartCluster(t, 3).Servers
	buckets := make([]*Keys, len(servers))
	for i, srv := range servers {
		buckets[i] = counters(t, srv, 3)
	}
	count(t, buckets, 24, 4)
	readsOfLeader(t, buckets[1])
}

// readsOfLeader checks that what the leader says reads like a direct answer.
func readsOfLeader(t *testing.T, b *Keys) {
	t.Helper()
	if _, err := b.Change(t.Context(), "gone", func(Message) (*Write, error) {
		return &Write{Marker: true, TTL: time.Hour, Header: nats.Header{"Oc-Test": {"why"}}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []Key{"n", "gone", "never"} {
		leader, err := b.Newest(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		natstest.Eventually(t, "a direct read of "+string(key)+" says the same", func() bool {
			direct, err := b.Last(t.Context(), key)
			return err == nil && direct.Revision == leader.Revision && direct.Live() == leader.Live() &&
				string(direct.Data) == string(leader.Data) && direct.Stored.Equal(leader.Stored) &&
				direct.Header.Get("Oc-Test") == leader.Header.Get("Oc-Test")
		})
	}
	if m, err := b.Newest(t.Context(), "gone"); err != nil || m.Live() || m.Header.Get("Oc-Test") != "why" {
		t.Errorf("marker = %+v, %v", m, err)
	}
}

func TestChangeStopsWithItsContext(t *testing.T) {
	t.Parallel()
	b := counters(t, natstest.Start(t), 1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.Change(ctx, "n", func(m Message) (*Write, error) {
		// Somebody else is always faster.
		if _, err := b.js.Publish(context.Background(), b.Prefix+"n", []byte("1")); err != nil {
			return nil, err
		}
		cancel()
		return &Write{Data: []byte("2")}, nil
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
		t.Errorf("error = %v", err)
	}
}
