package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

const (
	heavy     = 1500     // values
	heavySize = 10 << 10 // of each
)

// TestAMemberThatCatchesUp holds that what a member of the cluster does not have yet, whose disk was lost,
// is not taken for gone: neither by views that are loaded again meanwhile, nor by new ones.
func TestAMemberThatCatchesUp(t *testing.T) {
	t.Parallel()
	c := heavyCluster(t)
	var told atomic.Int64
	links := make([]*natstest.Proxy, 3)
	views := make([]*kv.View[int], len(links))
	for i, s := range c.Servers {
		links[i] = natstest.StartProxy(t, s.Addr())
		views[i] = sizes(t, connectTo(t, links[i].URL()))
		views[i].OnChange(func(string) { told.Add(1) })
		natstest.Run(t, views[i].Run)
		natstest.Receive(t, views[i].Loaded())
	}
	told.Store(0)
	met := 0
	for round := 0; met == 0 && round < 10; round++ {
		met += catchUp(t, c, links)
		for _, v := range views {
			natstest.Eventually(t, "the view is current", v.Current)
			if v.Len() != heavy {
				t.Errorf("%d of %d values", v.Len(), heavy)
			}
		}
	}
	if met == 0 {
		t.Error("nobody has read from the member")
	}
	if n := told.Load(); n > 0 {
		t.Errorf("%d changes are told, and nothing has changed", n)
	}
}

// catchUp has a member lose its disk, and views loaded while it fetches what it had. It returns how often the
// member was seen to serve one meanwhile.
func catchUp(t *testing.T, c *natstest.Cluster, links []*natstest.Proxy) (met int) {
	t.Helper()
	member := loseDisk(t, c)
	defer c.AwaitHealthy(t)
	defer c.Slow(member, 0)
	js := connectTo(t, c.Except(member)[0])
	for {
		for _, l := range links {
			l.Flap()
		}
		fresh := sizes(t, js)
		loadOnce(t, fresh)
		if n := fresh.Len(); n != heavy {
			t.Errorf("a view is loaded with %d of %d values", n, heavy)
		}
		switch messages, consumers, ok := member.Copy("KV_texts"); {
		case messages == heavy:
			return met
		case ok && len(consumers) > 0:
			met++
		}
	}
}

// heavyCluster has a bucket that takes a member a while to fetch.
func heavyCluster(t *testing.T) *natstest.Cluster {
	t.Helper()
	c := natstest.StartProcesses(t, 3, func(o *server.Options) {
		o.JetStreamMaxCatchup = 64 << 10
		o.Cluster.NoAdvertise = true
	})
	js, err := jetstream.New(c.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	heavyTexts(t, js)
	for i := range heavy {
		if _, err := js.PublishAsync(fmt.Sprintf("$KV.texts.k%04d", i), bytes.Repeat([]byte("x"), heavySize)); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Receive(t, js.PublishAsyncComplete())
	c.AwaitHealthy(t)
	return c
}

// loseDisk takes a member that leads nothing away, and brings it back with nothing on links that are slow.
func loseDisk(t *testing.T, c *natstest.Cluster) (member *natstest.Server) {
	t.Helper()
	leaders := []*natstest.Server{c.StreamLeader(t, "KV_texts"), c.MetaLeader(t)}
	for _, s := range c.Servers {
		if s != leaders[0] && s != leaders[1] {
			member = s
		}
	}
	member.Kill()
	member.Empty(t)
	c.Slow(member, 150*time.Millisecond)
	member.Restart(t)
	return member
}

func connectTo(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// heavyTexts are the keys of the bucket, which is made where it is missing.
func heavyTexts(t *testing.T, js jetstream.JetStream) *kv.Keys {
	t.Helper()
	var streams []*kv.Stream
	natstest.Eventually(t, "the bucket is there", func() bool {
		var err error
		streams, err = kv.Open(t.Context(), js, kv.Config{Replicas: 3, Log: slog.New(slog.DiscardHandler)}, kv.Layout{Bucket: "texts"})
		return err == nil
	})
	return streams[0].Keys(kv.BucketSpace("texts"))
}

// sizes is a view of how large the texts are.
func sizes(t *testing.T, js jetstream.JetStream) *kv.View[int] {
	t.Helper()
	return kv.NewView(heavyTexts(t, js), func(_ kv.Key, m kv.Message) (int, error) { return len(m.Data), nil })
}

// loadOnce runs a view until it is loaded.
func loadOnce(t *testing.T, v *kv.View[int]) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- v.Run(ctx) }()
	natstest.Receive(t, v.Loaded())
	cancel()
	if err := natstest.Receive(t, done); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
