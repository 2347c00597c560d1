package demand

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/events"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
)

// request asks the bus for a peer's planner, unless another replica or an earlier call did so a
// short while ago, or has it composed when the peer has nodes; after is the claim that stood when somebody began to want it (see store.Asking). It
// returns after how long it is worth trying again if the planner is still missing.
func (s *Service) request(ctx context.Context, peerID string, after uint64) (again time.Duration, err error) {
	if s.composer.HasNodes(peerID) {
		return jitter(repeat), s.composer.Begin(ctx, peerID)
	}
	asking := store.Asking{By: s.replicaID, Connections: s.connections.of(peerID), After: after}
	claim, next, won, err := s.store.Requests.Claim(ctx, peerID, asking, s.now())
	if err != nil {
		return 0, err
	}
	again = jitter(max(next.Sub(s.now()), 0))
	if !won {
		return again, nil
	}
	switch needed, err := s.send(ctx, peerID); {
	case errors.Is(err, events.ErrMaybeHeard): // the claim stands: said again at once, it would be heard twice
	case err != nil || !needed:
		// The claim must not stand for a request that was not sent.
		return time.Second, errors.Join(err, s.store.Requests.Reset(context.WithoutCancel(ctx), peerID, time.Time{}))
	}
	s.log.DebugContext(ctx, "planner requested", "peer_id", peerID, "attempt", claim.Attempt)
	return again, nil
}

// send sends a request, unless the planner has come: what came frees the claim, perhaps before this
// replica's view shows it.
func (s *Service) send(ctx context.Context, peerID string) (needed bool, err error) {
	switch _, _, err := s.store.Planners.Raw(ctx, peerID); {
	case err == nil:
		return false, nil
	case errors.Is(err, kv.ErrUnavailable):
		return true, err
	}
	return true, s.emitter.RequestPlanner(ctx, peerID)
}

// requestMissing asks for the planners of peers that nobody has.
func (s *Service) requestMissing(ctx context.Context, peerIDs []string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for _, id := range peerIDs {
		if s.cached(id) {
			continue
		}
		g.Go(func() error {
			_, err := s.request(ctx, id, store.Anytime)
			return err
		})
	}
	return g.Wait()
}

// received forgets that a planner was asked for, so that the next end of its life finds the way free.
func (s *Service) received(ctx context.Context, peerID string) error {
	if _, claimed := s.store.Requests.View().Get(peerID); !claimed {
		return nil
	}
	return s.store.Requests.Reset(ctx, peerID, time.Time{})
}

// missed asks again at once where a planner has come that was taken for one of a life that is over, and
// is wanted: it may have been the answer. That happens at most once a second, whatever the clocks say.
func (s *Service) missed(ctx context.Context, peerID string) error {
	if s.cached(peerID) {
		return nil
	}
	replicas, err := s.store.Interest.Replicas(ctx, peerID)
	if _, claimed := s.store.Requests.View().Get(peerID); err != nil || len(replicas) == 0 && !claimed {
		return err
	}
	if err := s.store.Requests.Reset(ctx, peerID, s.now().Add(-time.Second)); err != nil {
		return err
	}
	_, err = s.request(ctx, peerID, 0)
	return err
}
