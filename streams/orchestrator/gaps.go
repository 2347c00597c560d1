package orchestrator

import (
	"context"
	"errors"

	"oc-scheduler/store"
)

// ledger is the one that numbers a node's events now.
func (w *worker) ledger(ctx context.Context, nodeID string) (string, error) {
	n, err := w.store.Nodes.Get(ctx, nodeID)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUndecodable):
		return "", nil
	case err != nil:
		return "", err
	case n.Membership != store.Approved:
		return "", nil
	}
	return n.Ledger, nil
}

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
