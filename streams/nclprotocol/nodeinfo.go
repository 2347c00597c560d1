package nclprotocol

import (
	"context"
	"maps"
)

// Amounts are named quantities, e.g. ram_gb.
type Amounts map[string]float64

// NodeInfo is what a node tells of itself.
type NodeInfo struct {
	NodeID  string            `json:"node_id"`
	PeerID  string            `json:"peer_id,omitempty"`
	Version string            `json:"version,omitempty"` // of its program
	Labels  map[string]string `json:"labels,omitempty"`
	// Resources are what it has: resource → instance → capacities.
	Resources map[string]map[string]Amounts `json:"resources,omitempty"`
	// Free and Queued are what may be taken now, and what waits for it. They change all the time, and
	// travel with heartbeats.
	Free   Amounts `json:"free,omitempty"`
	Queued Amounts `json:"queued,omitempty"`
}

// Equal says whether two infos differ in nothing but Free and Queued.
func (n NodeInfo) Equal(o NodeInfo) bool {
	return n.NodeID == o.NodeID && n.PeerID == o.PeerID && n.Version == o.Version &&
		maps.Equal(n.Labels, o.Labels) &&
		maps.EqualFunc(n.Resources, o.Resources, func(a, b map[string]Amounts) bool {
			return maps.EqualFunc(a, b, func(a, b Amounts) bool { return maps.Equal(a, b) })
		})
}

// NodeInfoProvider tells what a node is now.
type NodeInfoProvider interface {
	// GetNodeInfo may be called at any time, from several goroutines. The result is not changed any more.
	GetNodeInfo(ctx context.Context) NodeInfo
}
