package app

import (
	"context"
	"fmt"
	"time"

	"oc-scheduler/store"
)

// markWithin bounds what a drain waits for NATS before it goes on.
const markWithin = 2 * time.Second

// holdLease takes the lease of this replica's id, which an earlier life may still hold for a while.
// It fails with store.ErrLeaseHeld when another process keeps it.
func (r *Replica) holdLease(ctx context.Context, leases *store.Leases) (*store.Held, error) {
	slow := time.AfterFunc(markWithin, func() {
		if other, err := leases.Holder(ctx, r.cfg.ReplicaID); err == nil && ctx.Err() == nil {
			r.waiting(ctx, fmt.Errorf("--replica-id: another %q, at %s, still holds the lease", r.cfg.ReplicaID, other.Address))
		}
	})
	defer slow.Stop()
	held, err := leases.Acquire(ctx, r.cfg.ReplicaID, store.Lease{
		Version: r.cfg.Version, Address: r.listener.Addr().String(), StartedAt: time.Now(), ApproveNodes: r.cfg.approval(),
	})
	if err != nil {
		return nil, fmt.Errorf("--replica-id: %w", err)
	}
	return held, nil
}

// keepLease renews the lease until ctx ends. Work goes on when it is lost: all of it is safe beside
// other replicas, and this one's interest is entered again after they have swept it.
func (e *engine) keepLease(ctx context.Context) error {
	return e.lease.Run(ctx, store.LeaseEvents{
		OnLost:     func(err error) { e.log.WarnContext(ctx, "lease lost, trying to get it back", "error", err) },
		OnRegained: func() { e.log.InfoContext(ctx, "lease is held again") },
	})
}

// retire writes into the lease that this replica drains, so that its id may be taken at once, and hands
// its compute nodes to other replicas.
func (e *engine) retire(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, markWithin)
	defer cancel()
	if err := e.lease.SetDraining(ctx); err != nil {
		e.log.WarnContext(ctx, "the fleet was not told of the drain", "error", err)
	}
	if err := e.nodes.Leave(ctx); err != nil {
		e.log.WarnContext(ctx, "compute nodes were not handed over yet", "error", err)
	}
}
