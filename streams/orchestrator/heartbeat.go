package orchestrator

import (
	"context"
	"errors"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// heartbeat renews a node's pulse. One of a session that is over changes nothing, however late it comes.
func (c *control) heartbeat(ctx context.Context, from sender, r *nclprotocol.HeartbeatRequest) (*nclprotocol.HeartbeatResponse, error) {
	n, over, err := c.present(ctx, from)
	if err != nil {
		return nil, err
	}
	if over != "" {
		c.metrics.heartbeats.WithLabelValues("session over").Inc()
		return &nclprotocol.HeartbeatResponse{HandshakeRequired: true, Reason: over}, nil
	}
	if err := checkAmounts(r.Free, r.Queued); err != nil {
		return nil, &ncl.RefusedError{Reason: err.Error()}
	}
	pulse := store.Pulse{
		Session: from.session, Sequence: from.sequence, LastSchedulerSequence: r.LastSchedulerSequence,
		Free: r.Free, Queued: r.Queued,
	}
	fresh, err := c.store.Liveness.Beat(ctx, from.nodeID, pulse, n.Liveness())
	if err != nil {
		return nil, err
	}
	cursor, err := c.store.Executions.RoughCursor(ctx, from.nodeID)
	if err != nil {
		return nil, err
	}
	answer := &nclprotocol.HeartbeatResponse{OfferRequired: c.lacksOffer(&n)}
	if cursor.Ledger == n.Ledger {
		answer.LastNodeSequence = cursor.Sequence
	}
	if !fresh {
		c.metrics.heartbeats.WithLabelValues("old").Inc()
		return answer, nil
	}
	c.metrics.heartbeats.WithLabelValues("fresh").Inc()
	if r.LastSchedulerSequence > n.LastSchedulerSequence {
		err = c.acknowledged(ctx, from, r.LastSchedulerSequence, answer.LastNodeSequence)
	}
	return answer, err
}

// present is the record of a node whose session this is; else over says why it is not, or may not go on.
// The view is asked first: it may be a moment behind, and so is whoever is told to go on by it.
func (c *control) present(ctx context.Context, from sender) (store.NodeRecord, string, error) {
	entry, _ := c.store.Nodes.View().Get(from.nodeID)
	if over := sessionOver(entry.Value, from.session); over == "" {
		return entry.Value, c.unproven(from.nodeID, entry.Value.PeerID()), nil
	}
	n, err := c.store.Nodes.Get(ctx, from.nodeID)
	if errors.Is(err, kv.ErrNotFound) || errors.Is(err, kv.ErrUndecodable) {
		return n, "the scheduler does not know this node", nil
	}
	return n, sessionOver(n, from.session), err
}

// sessionOver says why a node needs a new session; empty: it needs none.
func sessionOver(n store.NodeRecord, session string) string {
	switch {
	case n.Session != session:
		return "another session was opened since, or the scheduler does not know this one"
	case n.Membership != store.Approved:
		return "the node is " + string(n.Membership)
	case n.State != store.NodeConnected:
		return "the node was counted as " + string(n.State)
	}
	return n.HandshakeRequired
}

// acknowledged notes how far a node has read.
func (c *control) acknowledged(ctx context.Context, from sender, read, handled uint64) error {
	_, err := c.store.Nodes.Change(ctx, from.nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		if n == nil || n.Session != from.session || n.LastSchedulerSequence >= read {
			return nil, nil
		}
		n.LastSchedulerSequence, n.LastNodeSequence = read, max(n.LastNodeSequence, handled)
		return n, nil
	})
	return err
}
