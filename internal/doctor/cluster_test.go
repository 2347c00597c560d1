package doctor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/doctor"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/streams/orchestrator"
)

// TestACluster examines three servers: all there, one away, two away.
func TestACluster(t *testing.T) {
	t.Parallel()
	cluster := natstest.StartCluster(t, 3)
	js, err := jetstream.New(cluster.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), js, store.Config{Replicas: 3}, discard, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := events.OpenBus(t.Context(), js, 3); err != nil {
		t.Fatal(err)
	}
	for _, x := range slices.Concat(orchestrator.Expect(3), histories.Expect(3)) {
		if _, err := js.CreateStream(t.Context(), x.Stream); err != nil {
			t.Fatal(err)
		}
	}
	cfg := doctor.Config{URLs: cluster.URLs()}
	var found []doctor.Finding
	natstest.Eventually(t, "all copies are current", func() bool {
		found = doctor.Run(t.Context(), cfg)
		return slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Check == "cluster" && f.Level == doctor.OK })
	})
	want(t, found, doctor.OK, "streams", fmt.Sprintf("%d streams", streams))
	want(t, found, doctor.OK, "cluster", fmt.Sprintf("all copies of %d streams are current", streams))
	wantRest(t, found, "leases", "fsync") // no replica runs, and no monitor was given

	cluster.Servers[2].Stop()
	natstest.Eventually(t, "it is offline", func() bool {
		found = doctor.Run(t.Context(), cfg)
		return slices.ContainsFunc(found, func(f doctor.Finding) bool {
			return f.Check == "cluster" && holds(f.What+strings.Join(f.Follows, ""), []string{"stream KV_planners", "natstest-2 is offline"})
		})
	})
	want(t, found, doctor.Fail, "nats", cluster.Servers[2].URL())
	want(t, found, doctor.Warn, "cluster", "stream OC_BUS: its copy on natstest-2 is offline")

	cluster.Servers[1].Stop()
	natstest.Eventually(t, "it has lost its majority", func() bool {
		found = doctor.Run(t.Context(), cfg)
		return slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Level == doctor.Fail && f.Check != "nats" })
	})
}

// TestSingleCopiesInACluster are a risk that is told.
func TestSingleCopiesInACluster(t *testing.T) {
	t.Parallel()
	cluster := natstest.StartCluster(t, 3)
	js, err := jetstream.New(cluster.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), js, store.Config{}, discard, nil); err != nil {
		t.Fatal(err)
	}
	found := doctor.Run(t.Context(), doctor.Config{URLs: cluster.URLs()[:1]})
	want(t, found, doctor.Warn, "cluster", "one copy only, in a cluster", "KV_nodes")
	want(t, found, doctor.OK, "streams", fmt.Sprintf("%d streams", buckets))
	want(t, found, doctor.OK, "clock", "natstest-")
}
