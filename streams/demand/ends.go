package demand

import (
	"context"
	"fmt"
	"time"

	"oc-scheduler/store/planners"
)

// ended tells the bus that a planner's life is over. It runs once for the fleet; an error brings the
// marker back, and so does an acknowledgement that is lost or late: then the bus itself tells whether the
// close was sent. What follows is the reconciler's.
func (s *Service) ended(ctx context.Context, end planners.End) error {
	began, id := s.now(), closeID(end)
	said, err := false, error(nil)
	if end.Again {
		said, err = s.emitter.Said(ctx, id, end.At)
	}
	if err == nil && !said {
		err = s.emitter.ClosePlanner(ctx, end.PeerID, id)
	}
	if err != nil {
		return err
	}
	s.log.InfoContext(ctx, "planner closed", "peer_id", end.PeerID, "cause", end.Cause.String())
	s.wants.change(end.PeerID, func(w *want) { w.closed = &closed{end, began} })
	s.queue.Add(end.PeerID)
	return nil
}

// closeID is the same for each try to tell of an end, whoever makes it.
func closeID(end planners.End) string {
	return fmt.Sprintf("close-%d-%d", end.At.UnixNano(), end.Revision)
}

// closed is a close that was sent, and since when.
type closed struct {
	end   planners.End
	began time.Time
}

// askAgain asks for a new planner where streams still want one whose life has ended: after the close,
// so that it cannot undo the request.
func (s *Service) askAgain(ctx context.Context, c *closed) error {
	replicas, err := s.store.Interest.Replicas(ctx, c.end.PeerID)
	if err != nil || len(replicas) == 0 {
		return err
	}
	// A newer end may be on its way through another replica; what is to follow it is said there.
	if stands, err := s.store.Planners.Stands(ctx, c.end); err != nil || !stands {
		return err
	}
	// A request from before the close is void: the peer has just been told that nobody wants it.
	if err := s.store.Requests.Reset(ctx, c.end.PeerID, c.began); err != nil {
		return err
	}
	_, err = s.request(ctx, c.end.PeerID, 0)
	return err
}
