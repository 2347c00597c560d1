package demand

import (
	"context"

	"oc-scheduler/store"
)

// ended tells the bus that a planner's life is over, and asks for a new planner where streams still
// want one: in that order, so that the close cannot undo the request. It runs once for the fleet; an
// error brings the marker back.
func (s *Service) ended(ctx context.Context, end store.End) error {
	closing := s.now()
	if err := s.emitter.ClosePlanner(ctx, end.PeerID); err != nil {
		return err
	}
	replicas, err := s.store.Interest.Replicas(ctx, end.PeerID)
	if err != nil {
		return err
	}
	s.log.InfoContext(ctx, "planner closed", "peer_id", end.PeerID, "cause", end.Cause.String(), "watched", len(replicas) > 0)
	if len(replicas) == 0 {
		return nil
	}
	// A newer end may be on its way through another replica; what is to follow it is said there.
	if stands, err := s.store.Planners.Stands(ctx, end); err != nil || !stands {
		return err
	}
	// A request from before the close is void: the peer has just been told that nobody wants it.
	if err := s.store.Requests.Reset(ctx, end.PeerID, closing); err != nil {
		return err
	}
	_, err = s.request(ctx, end.PeerID)
	return err
}
