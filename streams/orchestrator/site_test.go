package orchestrator_test

import (
	"context"
	"encoding/json"
	"slices"
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

// site is a compute node as it is in life, with its ledger in memory.
type site struct {
	*compute.ConnectionManager
	id     string
	ledger watcher.EventStore

	mu     sync.Mutex
	orders []string // executions to run, as they came
}

func (s *site) ShouldProcess(context.Context, *envelope.Message) bool { return true }

func (s *site) HandleMessage(_ context.Context, m *envelope.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := m.Payload.(*nclprotocol.RunExecution); ok {
		s.orders = append(s.orders, r.ExecutionID)
	}
	return nil
}

func (s *site) ran() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.orders)
}

func (s *site) GetNodeInfo(context.Context) nclprotocol.NodeInfo {
	return nclprotocol.NodeInfo{NodeID: s.id, PeerID: "peer-" + s.id, Version: "test"}
}

func (s *site) CreateMessage(e watcher.Event) (*envelope.Message, error) {
	var c nclprotocol.ExecutionChanged
	if err := json.Unmarshal(e.Object, &c); err != nil {
		return nil, err
	}
	return &envelope.Message{Payload: c}, nil
}

type noLogs struct{}

func (noLogs) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	return nil, logstream.ErrNotFound
}

func startSite(t testing.TB, url, id string, change ...func(*compute.Config)) *site {
	t.Helper()
	s := &site{id: id, ledger: watcher.NewMemoryStore()}
	c := compute.DefaultConfig()
	c.NodeID, c.ClientFactory = id, nclprotocol.Client{URL: url, NodeID: id}
	c.NodeInfoProvider, c.DataPlaneMessageHandler, c.DataPlaneMessageCreator = s, s, s
	c.EventStore, c.LogStreamServer = s.ledger, noLogs{}
	c.MessageRegistry = codec(t).Registry
	c.ReconnectInterval, c.ReconnectBackoff = 100*time.Millisecond, backoff.NewConstantBackOff(200*time.Millisecond)
	c.HeartbeatInterval, c.HeartbeatMissFactor = 500*time.Millisecond, 20
	c.RequestTimeout = 5 * time.Second
	c.Logger = logger(id)
	for _, f := range change {
		f(&c)
	}
	var err error
	if s.ConnectionManager, err = compute.NewConnectionManager(c); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("%s: Close: %v", id, err)
		}
	})
	return s
}

// tell records an event.
func (s *site) tell(t testing.TB, e nclprotocol.ExecutionChanged) {
	t.Helper()
	_, err := s.ledger.StoreEvent(context.Background(), watcher.StoreEventRequest{
		Operation: watcher.OperationUpdate, ObjectType: "execution", Object: e,
	})
	if err != nil {
		t.Error(err)
	}
}

func (s *site) connected(t testing.TB) {
	t.Helper()
	natstest.Eventually(t, s.id+" is connected", func() bool { return s.GetHealth().CurrentState == nclprotocol.Connected })
}
