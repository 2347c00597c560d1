package demand

import (
	"context"
	"math"
	"time"

	"oc-scheduler/store"
)

const (
	// sweepEvery is how often the lists are compared with the leases.
	sweepEvery = 5 * time.Second
	// grace is how long the leases must have been in view before an absence counts: after an outage
	// of NATS every lease has run out, and each living replica needs a moment to renew its own.
	grace = 12 * time.Second
)

// sweepLoop takes dead replicas out of the lists, and finishes ends that their replica did not.
func (s *Service) sweepLoop(ctx context.Context) {
	tick := time.NewTicker(s.pace.sweepEvery)
	defer tick.Stop()
	var steady time.Duration // for how long the leases have been in view
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !s.store.Leases.View().Current() || !s.store.Interest.View().Current() {
			steady = 0
			continue
		}
		if steady += s.pace.sweepEvery; steady < s.pace.grace {
			continue
		}
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "sweep of interest failed, trying again", "error", err)
		}
	}
}

func (s *Service) sweep(ctx context.Context) error {
	for _, list := range s.store.Interest.View().Page("", math.MaxInt) {
		if err := s.sweepList(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sweepList(ctx context.Context, list store.Item[[]string]) error {
	for _, replica := range list.Value {
		if _, alive := s.store.Leases.View().Get(replica); alive || replica == s.replicaID {
			continue
		}
		end, err := s.store.Interest.Remove(ctx, list.ID, replica)
		if err != nil {
			return err
		}
		s.log.InfoContext(ctx, "interest of a dead replica removed", "peer_id", list.ID, "replica", replica, "last", end != "")
		if end != "" {
			return s.end(ctx, list.ID, end)
		}
	}
	if len(list.Value) > 0 || s.now().Sub(list.Stored) <= s.pace.grace {
		return nil
	}
	// Its replica died between the empty list and the end, or could not reach the planners.
	end, err := s.store.Interest.TakeOver(ctx, list.ID, list.Revision)
	if err != nil || end == "" {
		return err
	}
	return s.end(ctx, list.ID, end)
}
