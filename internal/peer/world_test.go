package peer_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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

// world is a NATS server with a scheduler's end of the compute connection.
type world struct {
	server *natstest.Server
	nc     *nats.Conn
	store  *store.Store
	orders *orchestrator.Orders
	holds  func(nodeID string) bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{server: natstest.Start(t)}
	w.nc = w.server.Connect(t)
	js, err := jetstream.New(w.nc)
	if err == nil {
		w.store, err = store.Open(t.Context(), js, store.Config{Replicas: 1}, slog.New(slog.DiscardHandler), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	scheduler, err := orchestrator.Open(t.Context(), js, w.store, orchestrator.Config{ReplicaID: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	w.orders, w.holds = scheduler.Orders, scheduler.Holds
	natstest.Run(t, w.store.Run)
	natstest.Run(t, scheduler.Run)
	natstest.Eventually(t, "the scheduler answers", func() bool { // else the node would try again in 10 s
		_, err := w.nc.Request(nclprotocol.ControlSubject("probe"), nil, time.Second)
		return err == nil
	})
	return w
}

func config(dir string) peer.Config {
	return peer.Config{
		PeerID: "peer-a", NodeID: "n1", DataDir: dir,
		Resources: ledger.Capacities{"gpu": {"i0": {"gpus": 8 * planner.Unit, "ram_gb": 64 * planner.Unit}}},
	}
}

// node starts a node, and waits until it is connected.
func (w *world) node(t *testing.T, cfg peer.Config) (stop func()) {
	t.Helper()
	since := time.Now()
	clients := nclprotocol.Client{URL: w.server.URL(), NodeID: cfg.NodeID}
	p, err := peer.New(t.Context(), cfg, clients, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	stop = natstest.Run(t, p.Run)
	natstest.Eventually(t, "the node is connected", func() bool {
		entry, _ := w.store.Nodes.View().Get(cfg.NodeID)
		return entry.Value.State == store.NodeConnected && entry.Value.StartedAt.After(since)
	})
	return stop
}

// run orders an execution.
func (w *world) run(t *testing.T, executionID string, command ...string) {
	t.Helper()
	order := execution.Order{ExecutionID: executionID, Command: command}
	if _, err := w.orders.Execute(t.Context(), "n1", order); err != nil {
		t.Fatal(err)
	}
}

func (w *world) execution(executionID string) execution.Execution {
	entry, _ := w.store.Executions.View().Get(executionID)
	return entry.Value
}

// reaches waits until the scheduler knows of a state.
func (w *world) reaches(t *testing.T, executionID string, state execution.State) execution.Execution {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("%+v", w.execution(executionID))
		}
	}()
	natstest.Eventually(t, executionID+" is "+string(state), func() bool { return w.execution(executionID).State == state })
	return w.execution(executionID)
}

// output reads what an execution writes, from its start to its end.
func (w *world) output(t *testing.T, executionID string) string {
	t.Helper()
	natstest.Eventually(t, executionID+" is started", func() bool { return !w.execution(executionID).StartedAt.IsZero() })
	return w.read(t, logstream.Request{ExecutionID: executionID, Follow: true})
}

// printed is what an execution has written so far.
func (w *world) printed(t *testing.T, executionID string) string {
	t.Helper()
	return w.read(t, logstream.Request{ExecutionID: executionID})
}

func (w *world) read(t *testing.T, request logstream.Request) string {
	t.Helper()
	return w.readOf(t, "n1", request)
}

func (w *world) readOf(t *testing.T, nodeID string, request logstream.Request) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := logstream.Open(ctx, w.nc, nodeID, request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var text []byte
	for {
		chunk, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return string(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, chunk.Data...)
	}
}
