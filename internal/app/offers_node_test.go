package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// start lets a node's program start, with the ledger that it had.
func (n *parked) start(t *testing.T) {
	t.Helper()
	c := compute.DefaultConfig()
	c.NodeID, c.ClientFactory = n.id, nclprotocol.Client{URL: n.link.URL(), NodeID: n.id}
	c.NodeInfoProvider, c.OfferProvider = n, n
	c.ReconnectInterval = 50 * time.Millisecond
	c.ReconnectBackoff = backoff.NewConstantBackOff(200 * time.Millisecond)
	c.HeartbeatInterval, c.HeartbeatMissFactor = 500*time.Millisecond, 4
	c.RequestTimeout = 2 * time.Second
	c.DataPlaneMessageHandler, c.DataPlaneMessageCreator = idle{}, idle{}
	c.EventStore, c.LogStreamServer = n.ledger, idle{}
	manager, err := compute.NewConnectionManager(c)
	if err == nil {
		err = manager.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	n.manager = manager
}

// kill ends the program without a word to anybody.
func (n *parked) kill(t *testing.T) {
	t.Helper()
	if n.manager == nil {
		return
	}
	n.link.Cut()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	_ = n.manager.Close(ctx) // which can't say goodbye
	n.manager, n.away = nil, false
}

// offers is the instance that the node has, and how much of it.
func (n *parked) offers() (instance string, level int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return "of-" + n.id, n.level
}

func (n *parked) change() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.level++
	close(n.changed)
	n.changed = make(chan struct{})
}

func (n *parked) GetNodeInfo(context.Context) nclprotocol.NodeInfo {
	return nclprotocol.NodeInfo{NodeID: n.id, PeerID: "site"}
}

func (n *parked) GetOffer(context.Context) (json.RawMessage, error) {
	instance, level := n.offers()
	return fmt.Appendf(nil, `{"capacities":{"dc":{%q:{"ram_gb":%d}}}}`, instance, level), nil
}

func (n *parked) OfferChanged() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// idle is a node's executor that nobody gives orders.
type idle struct{}

func (idle) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	return nil, logstream.ErrNotFound
}

func (idle) ShouldProcess(context.Context, *envelope.Message) bool { return false }

func (idle) HandleMessage(context.Context, *envelope.Message) error { return nil }

func (idle) CreateMessage(watcher.Event) (*envelope.Message, error) { return nil, nil }
