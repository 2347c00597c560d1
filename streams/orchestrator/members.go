package orchestrator

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/store"
)

// Members is what operators decide about nodes.
type Members struct{ nodes *store.Nodes }

// NewMembers returns the Members of a bucket.
func NewMembers(nodes *store.Nodes) *Members { return &Members{nodes} }

// Approve lets a node take part; it fails with ErrUnknownNode or store.ErrUnavailable.
func (m *Members) Approve(ctx context.Context, nodeID string) (store.NodeRecord, error) {
	return m.set(ctx, nodeID, store.Approved)
}

// Reject shuts a node out: its session ends with its next heartbeat. It fails as Approve does.
func (m *Members) Reject(ctx context.Context, nodeID string) (store.NodeRecord, error) {
	return m.set(ctx, nodeID, store.Rejected)
}

// Remove forgets a node. One that is connected has to introduce itself again. It fails as Approve does.
func (m *Members) Remove(ctx context.Context, nodeID string) error {
	return known(m.nodes.Remove(ctx, nodeID))
}

func (m *Members) set(ctx context.Context, nodeID string, to store.Membership) (store.NodeRecord, error) {
	now, err := m.nodes.Change(ctx, nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		switch {
		case n == nil:
			return nil, ErrUnknownNode
		case n.Membership == to:
			return nil, nil
		}
		n.Membership = to
		if to != store.Approved && n.State == store.NodeConnected {
			n.State, n.Since, n.Reason = store.NodeGone, time.Now().UTC(), "rejected"
		}
		return n, nil
	})
	if err != nil {
		return store.NodeRecord{}, err
	}
	return *now, nil
}

func known(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return ErrUnknownNode
	}
	return err
}
