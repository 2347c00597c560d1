package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/nclprotocol"
)

// replicas starts n of them on one server.
func replicas(t *testing.T, server *natstest.Server, n int) []*running {
	t.Helper()
	all := make([]*running, n)
	for i := range all {
		cfg := valid()
		cfg.NATSURL, cfg.ReplicaID = []string{server.URL()}, fmt.Sprintf("replica-%d", i)
		all[i] = start(t, cfg)
	}
	for _, r := range all {
		r.awaitReady(t)
	}
	return all
}

// checked is the answer of a replica to a check of a workflow.
func (r *running) checked(t *testing.T, workflowID, parameters string) fleettest.Answer {
	t.Helper()
	return fleettest.Get(t.Context(), r.URL()+fleettest.CheckPath(workflowID)+parameters)
}

// TestAWorkflowIsKnownEverywhereAtOnce: what one replica has stored is never unknown to the others.
func TestAWorkflowIsKnownEverywhereAtOnce(t *testing.T) {
	t.Parallel()
	all := replicas(t, natstest.Start(t), 3)
	for round := range 100 {
		id := fmt.Sprint("wf-", round)
		put := fleettest.Send(t.Context(), http.MethodPut, all[round%3].URL()+"/oc/"+id, strings.NewReader(fleettest.Workflow(id, "peer-a")))
		if put.Status != http.StatusCreated {
			t.Fatalf("PUT: %d %s", put.Status, put.Body)
		}
		for _, r := range all {
			if a := r.checked(t, id, ""); a.Status != http.StatusOK {
				t.Errorf("%s: %d %s", id, a.Status, a.Body)
			}
		}
	}
}

// TestAPeerThatConnectsLateIsAsked: the request was made before, nobody heard it, and the next is due in
// an hour.
func TestAPeerThatConnectsLateIsAsked(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	all, js := replicas(t, server, 2), server.JetStream(t)
	put := fleettest.Send(t.Context(), http.MethodPut, all[0].URL()+"/oc/w", strings.NewReader(fleettest.Workflow("w", "peer-a")))
	if put.Status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", put.Status, put.Body)
	}
	fleettest.Until(t, "the request", func() string {
		if requests, _ := fleettest.Counts(t, js, "peer-a"); requests["peer-a"] == 0 {
			return "is missing"
		}
		return ""
	})
	notBefore(t, js, "peer-a", time.Now().Add(time.Hour))
	node(t, server, "peer-a")
	if status, body := all[1].status(t, fleettest.CheckPath("w")+"&wait=30s"); status != http.StatusOK || strings.Contains(body, `"unknown"`) {
		t.Errorf("%d %s", status, body)
	}
}

// notBefore writes that a peer was asked just now, and is to be asked again at a time.
func notBefore(t *testing.T, js jetstream.JetStream, peerID string, next time.Time) {
	t.Helper()
	claims, err := js.KeyValue(t.Context(), "requests")
	if err == nil {
		claim := fmt.Appendf(nil, `{"requested_at":%q,"by":"x","attempt":9,"next_at":%q}`, time.Now().Format(time.RFC3339Nano), next.Format(time.RFC3339Nano))
		_, err = claims.Put(t.Context(), peerID, claim)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// node runs a compute node of a peer.
func node(t *testing.T, server *natstest.Server, peerID string) {
	t.Helper()
	cfg := peer.Config{
		PeerID: peerID, NodeID: "n1", DataDir: t.TempDir(),
		Resources: ledger.Capacities{"gpu": {"i0": {"gpus": 8_000_000_000}}},
	}
	clients := nclprotocol.Client{URL: server.URL(), NodeID: cfg.NodeID}
	p, err := peer.New(t.Context(), cfg, clients, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
