package compute_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// worker is what a node under test does: it notes orders, tells its info, makes messages of events.
type worker struct {
	mu     sync.Mutex
	orders []int
	info   nclprotocol.NodeInfo
}

func (w *worker) ShouldProcess(context.Context, *envelope.Message) bool { return true }

func (w *worker) HandleMessage(_ context.Context, m *envelope.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders = append(w.orders, m.Payload.(*order).N)
	return nil
}

func (w *worker) GetNodeInfo(context.Context) nclprotocol.NodeInfo {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.info
}

func (w *worker) setInfo(i nclprotocol.NodeInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.info = i
}

func (w *worker) seen() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]int(nil), w.orders...)
}

func (w *worker) CreateMessage(e watcher.Event) (*envelope.Message, error) {
	var h happening
	if err := json.Unmarshal(e.Object, &h); err != nil {
		return nil, err
	}
	return &envelope.Message{Payload: h}, nil
}

type noLogs struct{}

func (noLogs) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	return nil, logstream.ErrNotFound
}

// configure is a node that reconnects fast; times are for tests of what comes, not of when.
func configure(tb testing.TB, url, node string, w *worker, store watcher.EventStore) compute.Config {
	tb.Helper()
	w.setInfo(nclprotocol.NodeInfo{NodeID: node})
	c := compute.DefaultConfig()
	c.NodeID = node
	c.ClientFactory = nclprotocol.Client{URL: url, NodeID: node}
	c.NodeInfoProvider = w
	c.MessageRegistry = dataRegistry(tb)
	c.ReconnectInterval = 20 * time.Millisecond
	c.ReconnectBackoff = backoff.NewConstantBackOff(50 * time.Millisecond)
	c.HeartbeatInterval = 50 * time.Millisecond
	c.HeartbeatMissFactor = 40
	c.NodeInfoUpdateInterval = 50 * time.Millisecond
	c.CheckpointInterval = 50 * time.Millisecond
	c.RequestTimeout = 2 * time.Second
	c.DataPlaneMessageHandler = w
	c.DataPlaneMessageCreator = w
	c.EventStore = store
	c.Checkpointer = nclprotocol.NewCheckpointer(store)
	c.LogStreamServer = noLogs{}
	return c
}

func start(tb testing.TB, c compute.Config) *compute.ConnectionManager {
	tb.Helper()
	cm, err := compute.NewConnectionManager(c)
	if err != nil {
		tb.Fatal(err)
	}
	if err := cm.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { stop(tb, cm) })
	return cm
}

// stop closes a manager, whatever it is doing, and wants no error.
func stop(tb testing.TB, cm *compute.ConnectionManager) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := cm.Close(ctx); err != nil {
		tb.Errorf("Close: %v", err)
	}
}

func connected(tb testing.TB, cm *compute.ConnectionManager) {
	tb.Helper()
	natstest.Eventually(tb, "connected", func() bool { return cm.GetHealth().CurrentState == nclprotocol.Connected })
}

func (m *memory) sessions() int {
	return m.count(func(m *memory) int { return len(m.handshakes) })
}
