package deploy_test

import (
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// TestAWholeNodeWithItsRightsAlone runs a node and a scheduler's end with the users of nats.conf: each
// needs no more than it has.
func TestAWholeNodeWithItsRightsAlone(t *testing.T) {
	t.Parallel()
	url := node(t).ClientURL()
	serve(t, url, url, 1)
}

// TestAWholeNodeInACluster has the node connect to another server than those that lead what it reads and writes.
func TestAWholeNodeInACluster(t *testing.T) {
	t.Parallel()
	accounts := shipped(t)
	cluster := natstest.StartCluster(t, 3, func(o *server.Options) {
		o.Accounts, o.Users, o.NoAuthUser = accounts.Accounts, accounts.Users, "scheduler"
	})
	leader := cluster.MetaLeader(t)
	for _, s := range cluster.Servers {
		if s != leader {
			serve(t, leader.URL(), s.URL(), 3)
			return
		}
	}
}

// serve runs a scheduler's end on one server and a node on another, gives it something to do, and reads its output.
func serve(t *testing.T, schedulers, nodes string, copies int) {
	t.Helper()
	scheduler, probe := dialURL(t, schedulers, "scheduler", "_INBOX"), dialURL(t, nodes, "demo-north", "_INBOX.demo-north")
	st, err := store.Open(t.Context(), scheduler.js, store.Config{Replicas: copies}, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := orchestrator.Open(t.Context(), scheduler.js, st, orchestrator.Config{ReplicaID: "r1", Copies: copies})
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, st.Run)
	natstest.Run(t, ours.Run)
	natstest.Eventually(t, "the scheduler answers", func() bool {
		_, err := probe.Request(nclprotocol.ControlSubject("demo-north"), nil, patience)
		return err == nil
	})

	refused := make(chan error, 16)
	clients := nclprotocol.Client{URL: nodes, NodeID: "demo-north", Options: []nats.Option{
		nats.UserInfo("demo-north", "demo-north"),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }),
	}}
	p, err := peer.New(t.Context(), peer.Config{
		PeerID: "demo-north", DataDir: t.TempDir(), Resources: ledger.Capacities{"gpu": {"i0": {"gpus": planner.Unit}}},
	}, clients, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, p.Run)
	natstest.Eventually(t, "the node is connected", func() bool {
		entry, _ := st.Nodes.View().Get("demo-north")
		return entry.Value.State == store.NodeConnected
	})

	natstest.Eventually(t, "what it offers is known", func() bool {
		entry, _ := st.Offers.View().Get("demo-north")
		return entry.Value.Offer != nil && entry.Value.Has(planner.Ref{ResourceID: "gpu", InstanceID: "i0"})
	})
	if _, err := ours.Orders.Execute(t.Context(), "demo-north", execution.Order{ExecutionID: "x", Command: []string{"sleep", "0.01"}}); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the execution has ended", func() bool {
		entry, _ := st.Executions.View().Get("x")
		return entry.Value.State == execution.Completed
	})
	reader, err := logstream.Open(t.Context(), scheduler.Conn, "demo-north", logstream.Request{ExecutionID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	for chunks := 0; ; chunks++ {
		_, err := reader.Next(t.Context())
		if errors.Is(err, io.EOF) && chunks > 0 {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, refusals := range map[string]chan error{"scheduler": scheduler.refused, "probe": probe.refused, "node": refused} {
		select {
		case err := <-refusals:
			t.Errorf("%s was refused: %v", name, err)
		default:
		}
	}
}
