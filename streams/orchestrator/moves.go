package orchestrator

import (
	"encoding/json"
	"fmt"
	"time"

	"oc-scheduler/store"
)

// moves says whether an approved node names another peer than the one that it was approved as a node of: what
// it offers would count there. Where nobody has to approve nodes, one that named none may name its first.
func (c *control) moves(n *store.NodeRecord, info json.RawMessage) bool {
	if n.Membership != store.Approved || len(n.Info) == 0 {
		return false
	}
	before, now := n.PeerID(), (&store.Connection{Info: info}).PeerID()
	return before != now && (before != "" || c.manual)
}

// suspend lets a node wait for approval that moves; delivered is the last message that may have come to it.
func suspend(n *store.NodeRecord, info json.RawMessage, delivered uint64) {
	n.Membership = store.Pending
	n.Reason = fmt.Sprintf("it was approved as a node of peer %q, and names %q", n.PeerID(), (&store.Connection{Info: info}).PeerID())
	n.Delivered = max(n.Delivered, delivered)
	if n.State == store.NodeConnected {
		n.State, n.Since = store.NodeGone, time.Now().UTC()
	}
}
