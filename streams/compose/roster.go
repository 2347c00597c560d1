package compose

import (
	"maps"
	"sync"

	"oc-scheduler/store/offer"
	"oc-scheduler/store/planner"
)

// roster is which nodes each peer has, and what they offer, as this replica's views show it.
type roster struct {
	mu      sync.RWMutex
	nodes   map[string]member // by node: those that count for a peer
	peers   map[string]*crew
	changes uint64
}

// member is a node of a peer: an approved one that has told what it offers.
type member struct {
	peerID string
	offer  *offer.Offer // nil while it is not connected, or has yet to tell it again
}

// says tells whether two members are of the same peer and offer the same, however it was written.
func (m member) says(o member) bool {
	if m.peerID != o.peerID || m.offer == nil || o.offer == nil {
		return m == o
	}
	return m.offer.Digest() == o.offer.Digest()
}

// crew is the nodes of one peer.
type crew struct {
	offers   map[string]*offer.Offer // by node: nil of those that are not connected
	version  uint64                  // another one after each change, whatever the peer was in between
	assigned map[planner.Ref]string  // made when first asked for
}

func newRoster() *roster { return &roster{nodes: map[string]member{}, peers: map[string]*crew{}} }

// set notes what is known of a node now; the zero member is none. It returns the peers whose nodes are not what
// they were.
func (r *roster) set(nodeID string, now member) (changed []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.nodes[nodeID]
	if before.says(now) {
		if now.offer != nil { // told again
			r.nodes[nodeID], r.peers[now.peerID].offers[nodeID] = now, now.offer
		}
		return nil
	}
	if before.peerID != "" && before.peerID != now.peerID {
		r.changeLocked(before.peerID, func(offers map[string]*offer.Offer) { delete(offers, nodeID) })
		changed = append(changed, before.peerID)
	}
	if now.peerID == "" {
		delete(r.nodes, nodeID)
		return changed
	}
	r.nodes[nodeID] = now
	r.changeLocked(now.peerID, func(offers map[string]*offer.Offer) { offers[nodeID] = now.offer })
	return append(changed, now.peerID)
}

func (r *roster) changeLocked(peerID string, change func(map[string]*offer.Offer)) {
	c := r.peers[peerID]
	if c == nil {
		c = &crew{offers: map[string]*offer.Offer{}}
		r.peers[peerID] = c
	}
	change(c.offers)
	r.changes++
	c.version, c.assigned = r.changes, nil
	if len(c.offers) == 0 {
		delete(r.peers, peerID)
	}
}

// has says whether a peer has nodes.
func (r *roster) has(peerID string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.peers[peerID] != nil
}

// here is what the nodes of a peer offer that are connected, and a version that changes with it; 0: the peer has
// no nodes.
func (r *roster) here(peerID string) (offers map[string]*offer.Offer, version uint64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	c := r.peers[peerID]
	if c == nil {
		return nil, 0
	}
	return c.here(), c.version
}

func (c *crew) here() map[string]*offer.Offer {
	here := maps.Clone(c.offers)
	maps.DeleteFunc(here, func(_ string, o *offer.Offer) bool { return o == nil })
	return here
}

// node is the one that offers an instance of a peer's resource.
func (r *roster) node(peerID string, ref planner.Ref) (nodeID string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.peers[peerID]
	if c == nil {
		return "", false
	}
	if c.assigned == nil {
		c.assigned = offer.Assign(c.here())
	}
	nodeID, ok = c.assigned[ref]
	return nodeID, ok
}

// all lists the peers that have nodes.
func (r *roster) all() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	peers := make([]string, 0, len(r.peers))
	for peerID := range r.peers {
		peers = append(peers, peerID)
	}
	return peers
}
