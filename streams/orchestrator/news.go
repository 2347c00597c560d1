package orchestrator

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
)

// updateInfo keeps what a node tells of itself, unless it told something newer in the same session.
func (c *control) updateInfo(ctx context.Context, from sender, r *nclprotocol.UpdateNodeInfoRequest) (*nclprotocol.UpdateNodeInfoResponse, error) {
	stands, over, err := c.present(ctx, from)
	if err != nil {
		return nil, err
	}
	if over != "" {
		return &nclprotocol.UpdateNodeInfoResponse{HandshakeRequired: true, Reason: over}, nil
	}
	if r.NodeInfo.NodeID != from.nodeID {
		return &nclprotocol.UpdateNodeInfoResponse{Reason: "node_id is another one than the subject's"}, nil
	}
	if why := c.unproven(from.nodeID, r.NodeInfo.PeerID); why != "" {
		return &nclprotocol.UpdateNodeInfoResponse{Reason: why}, nil
	}
	info, err := encodeInfo(r.NodeInfo)
	if err != nil {
		return &nclprotocol.UpdateNodeInfoResponse{Reason: oneLine(err)}, nil
	}
	delivered := uint64(0)
	if c.moves(&stands, info) {
		if delivered, err = reached(ctx, c.js, from.nodeID); err != nil {
			return nil, err
		}
	}
	now, err := c.store.Nodes.Change(ctx, from.nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		if n == nil || n.Session != from.session || n.InfoSequence >= from.sequence {
			return nil, nil
		}
		if c.moves(n, info) {
			suspend(n, info, delivered)
		}
		keepInfo(n, info, c.store.Now())
		n.InfoSequence = from.sequence
		return n, nil
	})
	if err == nil && now != nil && now.Membership != store.Approved {
		return &nclprotocol.UpdateNodeInfoResponse{HandshakeRequired: true, Reason: sessionOver(*now, from.session)}, nil
	}
	return &nclprotocol.UpdateNodeInfoResponse{Accepted: err == nil}, err
}

// shutdown is a node's goodbye.
func (c *control) shutdown(ctx context.Context, from sender, r *nclprotocol.ShutdownNoticeRequest) (*nclprotocol.ShutdownNoticeResponse, error) {
	cursor, err := c.store.Executions.RoughCursor(ctx, from.nodeID)
	if err != nil {
		return nil, err
	}
	delivered, err := reached(ctx, c.js, from.nodeID)
	if err != nil {
		return nil, err
	}
	left := false
	n, err := c.store.Nodes.Change(ctx, from.nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		left = n != nil && n.Session == from.session && n.State == store.NodeConnected
		if !left {
			return nil, nil
		}
		n.State, n.Since, n.Reason = store.NodeGone, time.Now().UTC(), jet.Line(r.Reason)
		n.LastSchedulerSequence = max(n.LastSchedulerSequence, r.LastSchedulerSequence)
		n.Delivered = max(n.Delivered, delivered)
		return n, nil
	})
	if err == nil {
		err = c.store.Liveness.End(ctx, from.nodeID, from.session)
	}
	if err == nil && left {
		err = c.depart(ctx, *n)
	}
	if err != nil {
		return nil, err
	}
	if left {
		c.log.InfoContext(ctx, "node says goodbye", "node_id", from.nodeID, "reason", n.Reason)
	}
	answer := &nclprotocol.ShutdownNoticeResponse{}
	if n != nil && cursor.Ledger == n.Ledger {
		answer.LastNodeSequence = cursor.Sequence
	}
	return answer, nil
}

// depart ends the planner of a peer whose last node said goodbye: it should not be counted on for the
// rest of its life; but not that of a peer whose nodes tell offers, which is composed of those. Any node may say that it is of any peer, so its word ends no planner that came before
// it, and none of a peer that has another approved node, be that connected or lost.
func (c *control) depart(ctx context.Context, n store.NodeRecord) error {
	peerID := n.PeerID()
	if peerID == "" || n.TellsOffers {
		return nil
	}
	for _, other := range c.store.Nodes.View().Page("", math.MaxInt) {
		if other.ID == n.NodeID || other.Value.Membership != store.Approved || other.Value.PeerID() != peerID {
			continue
		}
		if other.Value.State == store.NodeConnected || other.Value.State == store.NodeLost || other.Value.TellsOffers {
			return nil
		}
	}
	return c.store.Planners.Depart(ctx, peerID, n.PeerSince)
}

// keepInfo makes info that of a record.
func keepInfo(n *store.NodeRecord, info json.RawMessage, now time.Time) {
	before := n.PeerID()
	n.Info = info
	if n.PeerSince.IsZero() || n.PeerID() != before {
		n.PeerSince = now.UTC()
	}
}
