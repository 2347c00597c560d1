package slots

import (
	"context"
	"fmt"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// Orders sends messages to nodes.
type Orders interface {
	// Send fails with orchestrator.ErrUnknownNode, orchestrator.ErrNotApproved, kv.ErrTooLarge or kv.ErrUnavailable.
	Send(ctx context.Context, nodeID string, order any) error
}

// Service is one replica's part in telling nodes.
type Service struct {
	plan   *plan.Plan
	orders Orders
}

// New is the service of a plan.
func New(p *plan.Plan, orders Orders) *Service { return &Service{p, orders} }

// Tell tells a node what an owner takes of an instance now, read past all views; of nothing it says nothing. It fails
// as Send does, and with kv.ErrUndecodable.
func (s *Service) Tell(ctx context.Context, nodeID, owner string, at run.Place) error {
	place := schedule.Place{PeerID: at.PeerID, ResourceID: at.ResourceID, InstanceID: at.InstanceID}
	standing, err := s.plan.Standing(ctx, owner, []schedule.Place{place})
	if err != nil {
		return err
	}
	b := standing[place]
	if !b.Live {
		return nil
	}
	if b.Broken {
		return fmt.Errorf("%w: what %s takes of %+v", kv.ErrUndecodable, owner, place)
	}
	slots, err := b.Slots()
	if err != nil {
		return fmt.Errorf("%w: what %s takes of %+v: %w", kv.ErrUndecodable, owner, place, err)
	}
	return s.orders.Send(ctx, nodeID, order(place.Ref(), b.ID, slots, b.Revision))
}
