package slots

import (
	"context"
	"fmt"
	"log/slog"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/offer"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/queue"
)

// Orders sends messages to nodes.
type Orders interface {
	// Send fails with orchestrator.ErrUnknownNode, orchestrator.ErrNotApproved, kv.ErrTooLarge or kv.ErrUnavailable.
	Send(ctx context.Context, nodeID string, order any) error
}

// Nodes are those that offer what is booked.
type Nodes interface {
	Node(peerID string, instance planner.Ref) (nodeID string, ok bool)
	Here(peerID string) map[string]*offer.Offer
	Peers() []string
}

// Config is what nodes are told with.
type Config struct {
	Orders Orders
	Nodes  Nodes
	Ready  <-chan struct{}          // closed when Nodes knows all that there are
	Holds  func(nodeID string) bool // whether this replica looks after a node
	Log    *slog.Logger
}

// Service is one replica's part in telling nodes.
type Service struct {
	cfg   Config
	plan  *plan.Plan
	nodes *kv.View[store.NodeRecord]
	peers *queue.Queue // to be looked at
	told  map[string]*told
}

// told is what a node was told in a session: by booking, the revision; 0: that it stands no more.
type told struct {
	session  string
	bookings map[string]uint64
}

// New is the service of a store. It follows the plan from now on, and acts while Run runs.
func New(st *store.Store, cfg Config) *Service {
	s := &Service{cfg: cfg, plan: st.Plan, nodes: st.Nodes.View(), peers: queue.New(), told: map[string]*told{}}
	st.Plan.OnBookings(s.Changed)
	return s
}

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
	return s.cfg.Orders.Send(ctx, nodeID, order(place.Ref(), b.ID, slots, b.Revision))
}
