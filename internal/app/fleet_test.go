package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// fleet is replicas of the whole scheduler on NATS, and the world around them.
type fleet struct {
	js       jetstream.JetStream // the world's own connection
	replicas []*running
	peers    *fleettest.Peers
	peerIDs  []string
	streams  []*fleettest.Stream
}

// onCluster is the configuration of n replicas on a cluster, replica-0 and so on.
func onCluster(cluster *natstest.Cluster, n int) []app.Config {
	configs := make([]app.Config, n)
	for i := range configs {
		configs[i] = valid()
		configs[i].NATSURL, configs[i].JSReplicas, configs[i].ReplicaID = cluster.URLs(), 3, fmt.Sprintf("replica-%d", i)
	}
	return configs
}

// connectionOf is the name of the connection of a replica of onCluster.
func connectionOf(replica int) string { return fmt.Sprintf("oc-scheduler replica-%d", replica) }

// newFleet starts a replica for each configuration, and peers.
func newFleet(t *testing.T, nc *nats.Conn, peers int, configs ...app.Config) *fleet {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{js: js, peers: fleettest.NewPeers(js)}
	for _, c := range configs {
		f.replicas = append(f.replicas, start(t, c))
	}
	for _, r := range f.replicas {
		r.awaitReady(t)
	}
	for i := range peers {
		peer := fmt.Sprintf("peer-%d", i)
		f.peerIDs = append(f.peerIDs, peer)
		f.put(t, i, "wf-"+peer, peer)
	}
	f.put(t, 0, "wf-all", f.peerIDs...)
	return f
}

func (f *fleet) urls() []string {
	urls := make([]string, len(f.replicas))
	for i, r := range f.replicas {
		urls[i] = r.URL()
	}
	return urls
}

// put stores a workflow through one replica and waits until all show it.
func (f *fleet) put(t *testing.T, replica int, id string, peers ...string) {
	t.Helper()
	through := f.replicas[replica%len(f.replicas)]
	a := fleettest.Send(t.Context(), http.MethodPut, through.URL()+"/oc/"+id, strings.NewReader(fleettest.Workflow(id, peers...)))
	if a.Status != http.StatusCreated {
		t.Fatalf("PUT %s: %d %s", id, a.Status, a.Body)
	}
	for _, r := range f.replicas {
		until(t, id+" on every replica", func() bool { status, _ := r.status(t, "/oc/"+id); return status == http.StatusOK })
	}
}

// open opens streams on every replica: for each peer alone, and for all of them together. A stream
// that is closed comes back to the next replica.
func (f *fleet) open(t *testing.T, where func(replica, attempt int) string) {
	t.Helper()
	for i := range f.replicas {
		for _, workflow := range append(slices.Clone(f.peerIDs), "all") {
			at := func(attempt int) string { return where(i, attempt) }
			f.streams = append(f.streams, fleettest.Open(t, fleettest.CheckPath("wf-"+workflow), at))
		}
	}
}

// publish has every peer publish its next planner.
func (f *fleet) publish(t *testing.T) {
	t.Helper()
	f.peers.PublishAll(t, f.peerIDs...)
}

// whole checks what must hold whenever nothing is wrong at the moment: every stream shows the newest
// planners, and every replica is ready and shows what the buckets hold.
func (f *fleet) whole(t *testing.T, after string) {
	t.Helper()
	current := fleettest.Current(t, f.streams, f.peers.Levels())
	agree := fleettest.Agree(t, f.js, f.urls()...)
	t.Logf("%s: streams current after %v, replicas agree with the buckets %v later", after, current, agree)
}

// said checks how often the fleet has asked for, and closed, the planner of every peer.
func (f *fleet) said(t *testing.T, requests, closes int) {
	t.Helper()
	asked, closed := fleettest.Counts(t, f.js, f.peerIDs...)
	for _, peer := range f.peerIDs {
		if asked[peer] != requests || closed[peer] != closes {
			t.Errorf("%s: %d requests and %d closes, want %d and %d", peer, asked[peer], closed[peer], requests, closes)
		}
	}
}

// leave closes all streams and waits until the fleet has closed every planner, once.
func (f *fleet) leave(t *testing.T, requests int) {
	t.Helper()
	for _, s := range f.streams {
		s.Close()
	}
	f.streams = nil
	fleettest.Until(t, "every planner is closed", func() string {
		_, closed := fleettest.Counts(t, f.js, f.peerIDs...)
		for _, peer := range f.peerIDs {
			if closed[peer] == 0 {
				return peer + " is not"
			}
		}
		return ""
	})
	fleettest.Agree(t, f.js, f.urls()...)
	f.said(t, requests, 1)
	for _, bucket := range []string{"planners", "interest"} {
		fleettest.Until(t, bucket+" is empty", func() string { // a leader may just be elected
			left, err := fleettest.Values(t.Context(), f.js, bucket)
			if err != nil || len(left) > 0 {
				return fmt.Sprintf("%d values, %v", len(left), err)
			}
			return ""
		})
	}
}
