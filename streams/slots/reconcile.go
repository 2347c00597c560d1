package slots

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/offer"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/nclprotocol"
)

const (
	// gather is how long after a change others are waited for that come with it.
	gather = 200 * time.Millisecond
	// sweepEvery is how often all peers are looked at: for what could not be sent, for sessions that began with the
	// same offer, and for nodes that another replica looked after.
	sweepEvery = 5 * time.Second
	// sendWithin bounds the order of one booking.
	sendWithin = 5 * time.Second
)

// Changed says that what stands with a peer, or its nodes, may have changed.
func (s *Service) Changed(peerID string) { s.peers.AddAfter(peerID, gather) }

// Run tells nodes until ctx ends; then it returns nil. The store's views must be running.
func (s *Service) Run(ctx context.Context) error {
	defer s.peers.Stop()
	for _, loaded := range []<-chan struct{}{s.cfg.Ready, s.plan.Loaded(), s.nodes.Loaded()} {
		select {
		case <-loaded:
		case <-ctx.Done():
			return nil
		}
	}
	var sweeps sync.WaitGroup
	defer sweeps.Wait()
	sweeps.Go(func() {
		jet.Every(ctx, sweepEvery, func(context.Context) {
			for _, peerID := range s.cfg.Nodes.Peers() {
				s.peers.Add(peerID)
			}
		})
	})
	for {
		peerID, ok := s.peers.Next(ctx)
		if !ok {
			return nil
		}
		if err := s.reconcile(ctx, peerID); err != nil && ctx.Err() == nil {
			s.cfg.Log.WarnContext(ctx, "nodes could not be told what is booked, trying again", "peer_id", peerID, "error", err)
		}
		s.peers.Done(peerID)
	}
}

// reconcile tells the nodes of a peer that this replica looks after what they do not know.
func (s *Service) reconcile(ctx context.Context, peerID string) error {
	if !s.plan.Current() || !s.nodes.Current() {
		return nil
	}
	here := map[string]*told{}
	var errs []error
	offers, seen := s.cfg.Nodes.Here(peerID), s.plan.Seen() // what the plan shows is as of seen, or later
	for nodeID, o := range offers {
		if t := s.session(nodeID); t != nil {
			here[nodeID] = t
			errs = append(errs, s.release(ctx, nodeID, o, t, seen))
		}
	}
	if len(here) == 0 {
		return nil
	}
	for _, b := range s.plan.Taken(peerID) {
		nodeID, ok := s.cfg.Nodes.Node(peerID, b.On)
		t := here[nodeID]
		if !ok || t == nil || t.bookings[b.ID] == b.Revision {
			continue
		}
		err := s.send(ctx, nodeID, order(b.On, b.ID, b.Slots, b.Revision))
		if errs = append(errs, err); err == nil {
			t.bookings[b.ID] = b.Revision
		}
	}
	return errors.Join(errs...)
}

// session is what a node was told in its present session; nil of one that this replica does not look after.
func (s *Service) session(nodeID string) *told {
	entry, known := s.nodes.Get(nodeID)
	if !known || entry.Value.State != store.NodeConnected || !s.cfg.Holds(nodeID) {
		delete(s.told, nodeID)
		return nil
	}
	if t := s.told[nodeID]; t == nil || t.session != entry.Value.Session {
		s.told[nodeID] = &told{entry.Value.Session, map[string]uint64{}}
	}
	return s.told[nodeID]
}

// release has a node give back what it offers as booked, and what it was told, and what stands no more.
func (s *Service) release(ctx context.Context, nodeID string, o *offer.Offer, t *told, seen uint64) error {
	gone := map[string]bool{}
	for _, id := range o.Bookings() {
		if revision, was := t.bookings[id]; schedule.OfBooking.Is(id) && (!was || revision > 0) {
			gone[id] = true
		}
	}
	for id, revision := range t.bookings {
		if _, offered := slices.BinarySearch(o.Bookings(), id); revision > 0 {
			gone[id] = true
		} else if !offered { // it has been given back
			delete(t.bookings, id)
		}
	}
	var errs []error
	for id := range gone {
		if _, stands := s.plan.Owner(id); stands {
			continue
		}
		err := s.send(ctx, nodeID, &nclprotocol.ReleaseSlots{BookingID: id, Revision: seen, Reason: "it is booked no more"})
		if errs = append(errs, err); err == nil {
			t.bookings[id] = 0
		}
	}
	return errors.Join(errs...)
}

func (s *Service) send(ctx context.Context, nodeID string, order any) error {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	return s.cfg.Orders.Send(ctx, nodeID, order)
}
