package compose

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/offer"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/queue"
)

// workers is how many peers are looked at, at a time: to compose costs time of the processor, and little else.
const workers = 4

// Service is one replica's part in composing planners.
type Service struct {
	replicaID string
	store     *store.Store
	log       *slog.Logger
	roster    *roster
	queue     *queue.Queue
	orphans   *kv.Pending // offers of what is no node any more
	notes     notes
	recent    recent
	ready     chan struct{} // closed when the views are loaded

	looking sync.Mutex // held from the views to the roster

	mu        sync.Mutex
	listeners []func(peerID string)
}

// New is the Service of one replica. It follows the store's views from now on, and acts while Run runs.
func New(replicaID string, st *store.Store, log *slog.Logger) *Service {
	s := &Service{
		replicaID: replicaID, store: st, log: log.With("component", "compose"),
		roster: newRoster(), queue: queue.New(), orphans: kv.NewPending(), notes: newNotes(), ready: make(chan struct{}),
	}
	st.Nodes.View().OnChange(s.nodeChanged)
	st.Offers.View().OnChange(s.nodeChanged)
	st.Planners.View().OnChange(s.queue.Add)
	return s
}

// OnChange adds a function that is called after each change of the nodes that a peer has, or of what they offer.
// It must not block.
func (s *Service) OnChange(f func(peerID string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(slices.Clip(s.listeners), f)
}

// Run keeps composed planners up to date until ctx ends; then it returns nil. The store's views must be running.
func (s *Service) Run(ctx context.Context) error {
	defer s.queue.Stop()
	if !s.loaded(ctx) {
		return nil
	}
	close(s.ready)
	for _, peerID := range s.roster.all() {
		s.queue.Add(peerID)
	}
	g, ctx := errgroup.WithContext(ctx)
	for range workers {
		g.Go(func() error { s.work(ctx); return nil })
	}
	g.Go(func() error {
		return s.orphans.Work(ctx, s.store.Offers.Forget, func(nodeID string, err error) {
			s.log.WarnContext(ctx, "what a removed node offered cannot be removed", "node_id", nodeID, "error", err)
		})
	})
	return g.Wait()
}

// loaded waits for the views: before that, peers would seem to have no nodes.
func (s *Service) loaded(ctx context.Context) bool {
	for _, loaded := range []<-chan struct{}{
		s.store.Planners.View().Loaded(), s.store.Nodes.View().Loaded(), s.store.Offers.View().Loaded(), s.store.Leases.View().Loaded(),
	} {
		select {
		case <-loaded:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// nodeChanged is called after each change of a node, or of what it offers.
func (s *Service) nodeChanged(nodeID string) {
	for _, peerID := range s.look(nodeID) {
		s.queue.Add(peerID)
		s.tell(peerID)
	}
}

// look compares a node with what the views show of it, and returns the peers for which that is news. Two views
// call it: who looks last has to have the last word.
func (s *Service) look(nodeID string) (changed []string) {
	s.looking.Lock()
	defer s.looking.Unlock()
	var now member
	node, known := s.store.Nodes.View().Get(nodeID)
	told, offers := s.store.Offers.View().Get(nodeID)
	switch {
	case offers && !known:
		s.orphans.Add(nodeID)
	case node.Value.Membership == store.Approved && (offers || node.Value.TellsOffers): // what is lost will be told again
		if now.peerID = node.Value.PeerID(); now.peerID != "" && offers && node.Value.State == store.NodeConnected {
			now.offer = told.Value.Offer
		}
	}
	return s.roster.set(nodeID, now)
}

func (s *Service) tell(peerID string) {
	s.mu.Lock()
	listeners := s.listeners
	s.mu.Unlock()
	for _, f := range listeners {
		f(peerID)
	}
}

// Ready is closed when all nodes are known that there were at the start.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// HasNodes says whether a peer has nodes: approved ones that have told what they offer, connected or not.
func (s *Service) HasNodes(peerID string) bool { return s.roster.has(peerID) }

// Node is the one that offers an instance of a peer's resource, of several the one that the planner shows. ok is
// false when none of the connected nodes does.
func (s *Service) Node(peerID string, instance planner.Ref) (nodeID string, ok bool) {
	return s.roster.node(peerID, instance)
}

// Here is what the nodes of a peer offer that are connected, by node.
func (s *Service) Here(peerID string) map[string]*offer.Offer {
	here, _ := s.roster.here(peerID)
	return here
}

// Peers are those that have nodes.
func (s *Service) Peers() []string { return s.roster.all() }

// Planner is that of a peer, composed of what its nodes offer now; nil while none of them is connected.
func (s *Service) Planner(peerID string) (*offer.Composition, error) {
	offers, version := s.roster.here(peerID)
	if len(offers) == 0 {
		return nil, nil
	}
	return s.recent.compose(peerID, version, offers, s.store.Now())
}

// Begin stores a peer's planner that somebody wants, if any of the peer's nodes is connected. It fails with
// kv.ErrUnavailable.
func (s *Service) Begin(ctx context.Context, peerID string) error {
	c, err := s.Planner(peerID)
	if err != nil || c == nil {
		return err
	}
	stored, err := s.store.Planners.Compose(ctx, c.JSON, c.Planner, true)
	if stored {
		s.log.DebugContext(ctx, "planner composed because it is wanted", "peer_id", peerID, "bytes", len(c.JSON))
	}
	return err
}
