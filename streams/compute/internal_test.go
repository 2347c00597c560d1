package compute

import (
	"context"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// idle is all that a Config asks for, and does nothing.
type idle struct{}

func (idle) CreateClient(context.Context) (*nats.Conn, error) { return nil, errScripted }

func (idle) GetNodeInfo(context.Context) nclprotocol.NodeInfo {
	return nclprotocol.NodeInfo{NodeID: "n1"}
}
func (idle) ShouldProcess(context.Context, *envelope.Message) bool  { return true }
func (idle) HandleMessage(context.Context, *envelope.Message) error { return nil }
func (idle) CreateMessage(watcher.Event) (*envelope.Message, error) { return nil, nil }
func (idle) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	return nil, logstream.ErrNotFound
}

func testConfig() Config {
	return Config{
		NodeID: "n1", ClientFactory: idle{}, NodeInfoProvider: idle{}, DataPlaneMessageHandler: idle{},
		DataPlaneMessageCreator: idle{}, LogStreamServer: idle{}, EventStore: watcher.NewMemoryStore(),
	}
}
