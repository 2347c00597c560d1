package demand

import (
	"context"
	"math/rand/v2"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/streams/queue"
)

func (s *Service) work(ctx context.Context) {
	for {
		peerID, ok := s.queue.Next(ctx)
		if !ok {
			return
		}
		if err := s.reconcile(ctx, peerID); err != nil && ctx.Err() == nil {
			s.retry(ctx, peerID, err)
		}
		s.queue.Done(peerID)
	}
}

// reconcile makes the fleet's list say what this replica wants, and asks for a planner that is
// wanted and missing.
func (s *Service) reconcile(ctx context.Context, peerID string) error {
	w := s.wants.get(peerID)
	if w.closed != nil {
		if err := s.askAgain(ctx, w.closed); err != nil {
			return err
		}
		s.wants.change(peerID, func(now *want) {
			if now.closed == w.closed {
				now.closed = nil
			}
		})
	}
	switch {
	case w.watchers > 0 && !w.listed:
		if err := s.store.Interest.Add(ctx, peerID, s.replicaID); err != nil {
			return err
		}
		s.settle(peerID, true)
	case w.watchers == 0 && w.listed:
		if err := s.leave(ctx, peerID); err != nil {
			return err
		}
	}
	if (w.watchers > 0 || w.once) && !s.cached(peerID) {
		after := w.since
		if w.once {
			after = store.Anytime
		}
		again, err := s.request(ctx, peerID, after)
		if err != nil {
			return err
		}
		if w.watchers > 0 {
			s.queue.AddAfter(peerID, again)
		}
	}
	if w.once {
		s.wants.change(peerID, func(w *want) { w.once = false })
	}
	return nil
}

// leave takes this replica out of the peer's list; the last one to leave ends the planner's life.
func (s *Service) leave(ctx context.Context, peerID string) error {
	end, err := s.store.Interest.Remove(ctx, peerID, s.replicaID)
	if err != nil {
		return err
	}
	if end != "" {
		if err := s.end(ctx, peerID, end); err != nil {
			return err
		}
	}
	s.settle(peerID, false)
	return nil
}

// end ends the life of a planner that nobody watches any more. The empty list stays until that is
// done: should this replica die on the way, the sweep finds it; should it only be slow, both end the same.
func (s *Service) end(ctx context.Context, peerID, end string) error {
	unwatched := func(ctx context.Context) (bool, error) {
		if s.wants.get(peerID).watchers > 0 { // a stream has come that the list does not show yet
			return false, nil
		}
		return s.store.Interest.Due(ctx, peerID, end)
	}
	if err := s.store.Planners.End(ctx, peerID, end, unwatched); err != nil {
		return err
	}
	return s.store.Interest.Forget(ctx, peerID)
}

// settle notes what the list says now; wants that changed meanwhile come back.
func (s *Service) settle(peerID string, listed bool) {
	if s.wants.change(peerID, func(w *want) { w.listed, w.failures = listed, 0 }).unlisted() {
		s.queue.Add(peerID)
	}
}

// retry brings a peer back after a growing delay.
func (s *Service) retry(ctx context.Context, peerID string, err error) {
	failures := s.wants.change(peerID, func(w *want) { w.failures++ }).failures
	s.log.DebugContext(ctx, "demand not settled, trying again", "peer_id", peerID, "failures", failures, "error", err)
	s.queue.AddAfter(peerID, queue.Delay(failures))
}

func jitter(d time.Duration) time.Duration { return d + rand.N(d/10+1) }
