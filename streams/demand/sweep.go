package demand

import (
	"context"
	"time"

	"oc-scheduler/store"
)

const (
	// sweepEvery is how often the lists are compared with the leases.
	sweepEvery = 5 * time.Second
	// grace is how long the leases must have been in view before their absence counts: after an
	// outage of NATS every lease has run out, and each living replica needs a moment to renew its own.
	grace = store.LeaseRenew + 2*time.Second
)

// sweepLoop takes dead replicas out of the lists, and finishes ends that their replica did not.
func (s *Service) sweepLoop(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.store.Leases.View().CurrentFor() < grace || !s.store.Interest.View().Current() {
			continue
		}
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "sweep of interest failed, trying again", "error", err)
		}
	}
}

func (s *Service) sweep(ctx context.Context) error {
	for peerID, entry := range s.store.Interest.View().All() {
		for _, replica := range entry.Value.Replicas {
			if _, alive := s.store.Leases.View().Get(replica); alive || replica == s.replicaID {
				continue
			}
			last, err := s.store.Interest.Remove(ctx, peerID, replica)
			if err != nil {
				return err
			}
			s.log.InfoContext(ctx, "interest of a dead replica removed", "peer_id", peerID, "replica", replica, "last", last)
			if last {
				if err := s.end(ctx, peerID); err != nil {
					return err
				}
			}
		}
		if len(entry.Value.Replicas) == 0 && s.now().Sub(entry.Stored) > grace {
			if err := s.end(ctx, peerID); err != nil {
				return err
			}
		}
	}
	return nil
}
