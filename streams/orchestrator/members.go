package orchestrator

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
)

// Members is what operators decide about nodes.
type Members struct {
	store  *store.Store
	orders *Orders
	log    *slog.Logger
}

// Approve lets a node take part; of one that does, it lets the program take over that was refused last. It
// fails with ErrUnknownNode or kv.ErrUnavailable.
func (m *Members) Approve(ctx context.Context, nodeID string) (store.NodeRecord, error) {
	return m.set(ctx, nodeID, store.Approved)
}

// Reject shuts a node out: its session ends with its next heartbeat. It fails as Approve does.
func (m *Members) Reject(ctx context.Context, nodeID string) (store.NodeRecord, error) {
	return m.set(ctx, nodeID, store.Rejected)
}

// Remove forgets a node, and ends what it had to run. One that is connected has to introduce itself again. It
// fails as Approve does.
func (m *Members) Remove(ctx context.Context, nodeID string) error {
	err := m.store.Nodes.Remove(ctx, nodeID)
	if errors.Is(err, kv.ErrNotFound) {
		return ErrUnknownNode
	}
	if err != nil {
		return err
	}
	if err := m.clear(ctx, nodeID); err != nil { // the node's reconciler does the rest
		m.log.WarnContext(ctx, "what a removed node had to run has yet to end", "node_id", nodeID, "error", err)
	}
	return nil
}

// endsAtOnce is how many executions of a removed node are ended at a time.
const endsAtOnce = 8

// clear ends the pulse of a node that was removed, its offer, and its executions.
func (m *Members) clear(ctx context.Context, nodeID string) error {
	if err := errors.Join(m.store.Liveness.End(ctx, nodeID, ""), m.store.Offers.Forget(ctx, nodeID)); err != nil {
		return err
	}
	ends, ctx := errgroup.WithContext(ctx)
	ends.SetLimit(endsAtOnce)
	for _, e := range m.store.Executions.View().Page("", math.MaxInt) {
		if e.Value.NodeID != nodeID || e.Value.State.Final() {
			continue
		}
		ends.Go(func() error {
			_, err := m.orders.giveUp(ctx, e.Value, reasonRemoved)
			return err
		})
	}
	return ends.Wait()
}

func (m *Members) set(ctx context.Context, nodeID string, to store.Membership) (store.NodeRecord, error) {
	delivered, err := reached(ctx, m.orders.js, nodeID)
	if err != nil {
		return store.NodeRecord{}, err
	}
	now, err := m.store.Nodes.Change(ctx, nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		switch {
		case n == nil:
			return nil, ErrUnknownNode
		case n.Membership == to && (to != store.Approved || n.Refused == nil):
			return nil, nil
		case n.Membership == to:
			n.Successor, n.Refused = &n.Refused.Program, nil
			return n, nil
		}
		n.Membership = to
		if to != store.Approved && n.State == store.NodeConnected {
			n.State, n.Since, n.Reason = store.NodeGone, time.Now().UTC(), "rejected"
			n.Delivered = max(n.Delivered, delivered)
		}
		return n, nil
	})
	if err != nil {
		return store.NodeRecord{}, err
	}
	return *now, nil
}
