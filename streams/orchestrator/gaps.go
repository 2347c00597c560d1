package orchestrator

import (
	"context"

	"oc-scheduler/store"
)

// demandHandshake has the node send again what is missing: whichever replica gets its next heartbeat says
// so. A gap that an earlier session left is no reason: the present one began after it.
func (w *worker) demandHandshake(ctx context.Context, nodeID, missing string, position uint64) error {
	demanded := false
	_, err := w.store.Nodes.Change(ctx, nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		demanded = n != nil && n.State == store.NodeConnected && n.HandshakeRequired == "" && position > n.OutPosition
		if !demanded {
			return nil, nil
		}
		n.HandshakeRequired = missing
		return n, nil
	})
	if demanded && err == nil {
		w.log.WarnContext(ctx, "events of a node are missing: it is asked for a handshake", "node_id", nodeID, "missing", missing)
	}
	return err
}
