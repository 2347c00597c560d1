package compose

import (
	"context"
	"time"

	"oc-scheduler/streams/queue"
)

func (s *Service) work(ctx context.Context) {
	for {
		peerID, ok := s.queue.Next(ctx)
		if !ok {
			return
		}
		again, err := s.reconcile(ctx, peerID)
		if err != nil && ctx.Err() == nil {
			failures := s.notes.failed(peerID)
			s.log.DebugContext(ctx, "planner cannot be composed, trying again", "peer_id", peerID, "failures", failures, "error", err)
			again = queue.Delay(failures)
		}
		if again > 0 {
			s.queue.AddAfter(peerID, again)
		}
		s.queue.Done(peerID)
	}
}

// reconcile makes the planner that stands say what the peer's nodes offer. again is when to come back; 0: when
// something changes.
func (s *Service) reconcile(ctx context.Context, peerID string) (again time.Duration, err error) {
	stands, cached := s.store.Planners.View().Get(peerID)
	offers, version := s.roster.here(peerID)
	n := s.notes.get(peerID)
	if !cached || version == 0 && !stands.Value.Composed || version > 0 && n.says(version, stands.Value) {
		s.notes.settle(peerID, version)
		return 0, nil
	}
	if !s.current() {
		return outdated, nil
	}
	if wait := s.pace(peerID, s.notes.differs(peerID), stands.Stored); wait > 0 {
		return wait, nil
	}
	if version == 0 {
		s.log.InfoContext(ctx, "peer has no nodes any more, its planner ends", "peer_id", peerID)
		return 0, s.store.Planners.Disband(ctx, peerID)
	}
	c, err := s.recent.compose(peerID, version, offers, s.store.Now())
	if err != nil {
		return 0, err
	}
	s.notes.compared(peerID, version, c.Planner.Told())
	stored, err := s.store.Planners.Compose(ctx, c.JSON, c.Planner, false)
	if err != nil {
		return 0, err
	}
	s.notes.settle(peerID, version)
	if stored {
		s.log.DebugContext(ctx, "planner composed", "peer_id", peerID, "nodes", len(offers), "left_out", len(c.LeftOut), "hidden", c.Hidden, "bytes", len(c.JSON))
	}
	return 0, nil
}

// current says whether what the views show is so now.
func (s *Service) current() bool {
	return s.store.Planners.View().Current() && s.store.Nodes.View().Current() && s.store.Offers.View().Current()
}
