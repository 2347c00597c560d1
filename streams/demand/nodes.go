package demand

import "sync"

// connections counts how often nodes of each peer have connected, so that a replica that looks late sees
// that a peer has come since it was asked.
type connections struct {
	mu    sync.Mutex
	nodes map[string]connected // by node
	peers map[string]uint64    // by peer: the sum over its nodes
}

// connected is whose node one is, and how often it has connected.
type connected struct {
	peerID string // empty: nobody's
	times  uint64
}

func newConnections() *connections {
	return &connections{nodes: map[string]connected{}, peers: map[string]uint64{}}
}

// set notes what is known of a node now, and reports whether its peer has more connections than before.
func (c *connections) set(nodeID string, now connected) (more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.nodes[nodeID]
	if before == now {
		return false
	}
	c.addLocked(before.peerID, -before.times)
	c.addLocked(now.peerID, now.times)
	if c.nodes[nodeID] = now; now == (connected{}) {
		delete(c.nodes, nodeID)
	}
	return now.peerID != "" && (now.peerID != before.peerID || now.times > before.times)
}

// addLocked adds a number of connections, or takes away as many: arithmetic wraps.
func (c *connections) addLocked(peerID string, times uint64) {
	if c.peers[peerID] += times; peerID == "" || c.peers[peerID] == 0 {
		delete(c.peers, peerID)
	}
}

func (c *connections) of(peerID string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peers[peerID]
}

// NodeChanged is to be called after each change of the nodes' view: a peer that has come can answer, and
// is asked at once where streams wait for its planner.
func (s *Service) NodeChanged(nodeID string) {
	var now connected
	if node, ok := s.store.Nodes.View().Get(nodeID); ok {
		now = connected{node.Value.PeerID(), node.Value.Generation}
	}
	if s.connections.set(nodeID, now) && s.waitedFor(now.peerID) {
		s.queue.Add(now.peerID)
	}
}

// OffersChanged is to be called after each change of what the nodes of a peer offer: where streams wait for its
// planner, it can be composed now, or has to be asked for.
func (s *Service) OffersChanged(peerID string) {
	if s.waitedFor(peerID) {
		s.queue.Add(peerID)
	}
}
