package compute_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// greet is an order, and greeted the event that follows it. Both ends register them under one name.
type greet struct {
	Name string `json:"name"`
}

type greeted struct {
	Name string `json:"name"`
}

func greetings() *envelope.Registry {
	r := envelope.NewRegistry()
	if err := r.Register("Greet", greet{}); err != nil {
		panic(err)
	}
	if err := r.Register("Greeted", greeted{}); err != nil {
		panic(err)
	}
	return r
}

// greeter is a node that greets.
type greeter struct{ ledger watcher.EventStore }

// GetNodeInfo tells the scheduler what this node has.
func (g *greeter) GetNodeInfo(context.Context) nclprotocol.NodeInfo {
	return nclprotocol.NodeInfo{
		NodeID:    "north-1",
		Resources: map[string]map[string]nclprotocol.Amounts{"hall": {"main": {"seats": 100}}},
		Free:      nclprotocol.Amounts{"seats": 40},
	}
}

// ShouldProcess takes greetings only.
func (g *greeter) ShouldProcess(_ context.Context, m *envelope.Message) bool {
	_, ours := m.Payload.(*greet)
	return ours
}

// HandleMessage does what it is ordered to, and notes it in the ledger. When that fails, the order comes
// again; a mistake in the order itself is permanent.
func (g *greeter) HandleMessage(ctx context.Context, m *envelope.Message) error {
	order := m.Payload.(*greet)
	if order.Name == "" {
		return ncl.Permanent(fmt.Errorf("order %d greets nobody", m.Sequence))
	}
	fmt.Println("Hello", order.Name)
	_, err := g.ledger.StoreEvent(ctx, watcher.StoreEventRequest{
		Operation: watcher.OperationCreate, ObjectType: "Greeted", Object: greeted(*order),
	})
	return err
}

// CreateMessage makes the message of an event in the ledger.
func (g *greeter) CreateMessage(e watcher.Event) (*envelope.Message, error) {
	if e.ObjectType != "Greeted" {
		return nil, nil // concerns nobody else
	}
	var payload greeted
	if err := json.Unmarshal(e.Object, &payload); err != nil {
		return nil, err
	}
	return &envelope.Message{Payload: payload}, nil
}

// OpenLog would open the output of an execution; logstream.OpenFiles keeps it on disk.
func (g *greeter) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	return nil, logstream.ErrNotFound
}

// A whole node: it connects as soon as NATS and a scheduler are there, whatever comes first.
func ExampleConnectionManager() {
	node := &greeter{ledger: watcher.NewMemoryStore()} // watcher.OpenBolt keeps it on disk
	config := compute.Config{
		NodeID:                  "north-1",
		ClientFactory:           nclprotocol.Client{URL: "nats://127.0.0.1:4222", NodeID: "north-1"},
		NodeInfoProvider:        node,
		MessageRegistry:         greetings(),
		DataPlaneMessageHandler: node,
		DataPlaneMessageCreator: node,
		EventStore:              node.ledger,
		LogStreamServer:         node,
	}
	cm, err := compute.NewConnectionManager(config)
	if err != nil {
		panic(err) // names every fault of the configuration
	}
	connecting := make(chan struct{}, 1)
	cm.OnStateChange(func(s nclprotocol.ConnectionState) {
		if s == nclprotocol.Connecting {
			fmt.Println(s)
			connecting <- struct{}{}
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := cm.Start(ctx); err != nil {
		panic(err)
	}
	<-connecting // here a program would wait for its own end
	if err := cm.Close(ctx); err != nil {
		panic(err)
	}
	fmt.Println(cm.GetHealth().CurrentState)
	// Output:
	// connecting
	// disconnected
}

// A handler of orders, as the connection calls it.
func ExampleConfig_messageHandler() {
	ctx := context.Background()
	var handler ncl.MessageHandler = &greeter{ledger: watcher.NewMemoryStore()}
	for i, name := range []string{"Ada", ""} {
		order := &envelope.Message{Header: envelope.Header{Type: "Greet", Sequence: uint64(i + 1)}, Payload: &greet{name}}
		if !handler.ShouldProcess(ctx, order) {
			continue
		}
		if err := handler.HandleMessage(ctx, order); err != nil {
			fmt.Println(err, "- try again:", !ncl.IsPermanent(err))
		}
	}
	// Output:
	// Hello Ada
	// order 2 greets nobody - try again: false
}
