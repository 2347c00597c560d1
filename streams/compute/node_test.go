package compute_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"

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

	asked atomic.Int32 // how often for the info
}

func (w *worker) ShouldProcess(context.Context, *envelope.Message) bool { return true }

func (w *worker) HandleMessage(_ context.Context, m *envelope.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders = append(w.orders, m.Payload.(*order).N)
	return nil
}

func (w *worker) GetNodeInfo(context.Context) nclprotocol.NodeInfo {
	w.asked.Add(1)
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
	c.MessageRegistry = registry()
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

// unhurried is for tests that count what the two ends say: neither gives up a request or the other on
// a busy machine.
func unhurried(c compute.Config) compute.Config {
	c.RequestTimeout = 40 * time.Second
	c.HeartbeatMissFactor = 1000
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

// produce stores the happenings [from, to].
func produce(tb testing.TB, store watcher.EventStore, from, to int) {
	tb.Helper()
	for n := from; n <= to; n++ {
		_, err := store.StoreEvent(context.Background(), watcher.StoreEventRequest{
			Operation: watcher.OperationCreate, ObjectType: "happening", Object: happening{n},
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// handled waits until the scheduler has handled the happenings 1 to n: each once, in order.
func handled(tb testing.TB, m *memory, n int) {
	tb.Helper()
	natstest.Eventually(tb, fmt.Sprintf("%d events", n), func() bool {
		return m.count(func(m *memory) int { return len(m.handled) }) >= n
	})
	m.look(func(m *memory) {
		for i, h := range m.handled {
			if h.N != i+1 {
				tb.Fatalf("happening %d was handled as number %d", h.N, i+1)
			}
		}
		if len(m.handled) != n {
			tb.Fatalf("%d events, want %d", len(m.handled), n)
		}
	})
}

// ordered waits until the node has handled the orders 1 to n: each once, in order.
func ordered(tb testing.TB, w *worker, n int) {
	tb.Helper()
	natstest.Eventually(tb, fmt.Sprintf("%d orders", n), func() bool { return len(w.seen()) >= n })
	for i, have := range w.seen() {
		if have != i+1 || i >= n {
			tb.Fatalf("orders %v, want 1 to %d", w.seen(), n)
		}
	}
}

// patientClient makes clients that reconnect by themselves.
type patientClient string

func (url patientClient) CreateClient(context.Context) (*nats.Conn, error) {
	return nats.Connect(string(url), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
}
