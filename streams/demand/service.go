package demand

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/store"
	"oc-scheduler/store/offer"
	"oc-scheduler/streams/queue"
)

// workers is how many peers are reconciled at a time.
const workers = 16

// repeat is when a planner that was asked for and did not come is looked for again, at the earliest.
const repeat = 10 * time.Second

// Emitter tells the bus.
type Emitter interface {
	RequestPlanner(ctx context.Context, peerID string) error
	// ClosePlanner sends a message of that id, which Said finds.
	ClosePlanner(ctx context.Context, peerID, id string) error
	// AnswerPlanner sends a composed planner in a message of that id.
	AnswerPlanner(ctx context.Context, planner []byte, id string) error
	// Said reports whether the bus has stored a message since a time.
	Said(ctx context.Context, id string, since time.Time) (bool, error)
}

// Composer makes the planners of peers that have nodes.
type Composer interface {
	// Ready is closed when HasNodes knows.
	Ready() <-chan struct{}
	HasNodes(peerID string) bool
	// Begin stores the planner of a peer if any of its nodes is there.
	Begin(ctx context.Context, peerID string) error
	// Planner is nil while none of them is.
	Planner(peerID string) (*offer.Composition, error)
}

// Service is one replica's part in the fleet's demand. It implements events.Handler, and the HTTP
// writes. Watch works before Run; nothing reaches the buckets until Run runs.
type Service struct {
	replicaID string
	store     *store.Store
	emitter   Emitter
	composer  Composer
	log       *slog.Logger
	now       func() time.Time

	wants       *wants
	connections *connections
	ignored     ignored
	queue       *queue.Queue
	pace        pace
	started     atomic.Pointer[time.Time] // nil before Run
}

// pace is how patient the sweep is.
type pace struct{ sweepEvery, grace time.Duration }

// New returns the Service of one replica; now is the clock of the whole fleet.
func New(replicaID string, st *store.Store, emitter Emitter, composer Composer, log *slog.Logger, now func() time.Time) *Service {
	return &Service{
		replicaID: replicaID, store: st, emitter: emitter, composer: composer, log: log.With("component", "demand"), now: now,
		wants: newWants(), connections: newConnections(), ignored: newIgnored(), queue: queue.New(), pace: pace{sweepEvery, grace},
	}
}

// Run carries out what Watch asks for, reads the markers and sweeps, until ctx ends. The store's
// views must be running.
func (s *Service) Run(ctx context.Context) error {
	if !s.loaded(ctx) {
		return nil
	}
	now := time.Now()
	s.started.Store(&now)
	defer s.queue.Stop()
	g, ctx := errgroup.WithContext(ctx)
	for range workers {
		g.Go(func() error { s.work(ctx); return nil })
	}
	g.Go(func() error { return s.store.Planners.Ends(ctx, s.ended) })
	g.Go(func() error { s.sweepLoop(ctx); return nil })
	return g.Wait()
}

// loaded waits for the views: before that every planner would look missing.
func (s *Service) loaded(ctx context.Context) bool {
	for _, loaded := range []<-chan struct{}{
		s.composer.Ready(), s.store.Planners.View().Loaded(), s.store.Interest.View().Loaded(),
		s.store.Requests.View().Loaded(), s.store.Leases.View().Loaded(), s.store.Nodes.View().Loaded(),
	} {
		select {
		case <-loaded:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// PlannerChanged is to be called after each change of the planners' view. A planner that vanished
// under a waiting stream is asked for by the reader of the markers, at once; should that fail, the
// reconciler finds it missing a little later. One that has come says that discovery is there.
func (s *Service) PlannerChanged(peerID string) {
	switch {
	case s.cached(peerID):
		s.discoveryHeard()
	case s.waitedFor(peerID):
		s.wants.change(peerID, func(w *want) { w.unheard = true })
		s.queue.AddAfter(peerID, repeat)
	}
}

// discoveryHeard begins anew to want what nobody has answered since streams wait for it: whoever publishes
// planners may have come only now. Of each wait it does so once.
func (s *Service) discoveryHeard() {
	if s.started.Load() == nil { // what the views find when they are loaded came at some time or other
		return
	}
	for _, peerID := range s.wants.takeUnheard() {
		if s.waitedFor(peerID) {
			s.begin(peerID, func(*want) {})
			s.queue.Add(peerID)
		}
	}
}

// waitedFor says whether streams of this replica wait for a planner that is missing.
func (s *Service) waitedFor(peerID string) bool {
	return s.wants.get(peerID).watchers > 0 && !s.cached(peerID)
}

// InterestChanged is to be called after each change of the interest view: somebody may have taken
// this replica out of a list, or a list may name it that it knows nothing of. Soon after the start
// the latter is what an earlier life of the same id watched: its clients are given a moment to come
// back and find their planners.
func (s *Service) InterestChanged(peerID string) {
	listed := s.listed(peerID)
	w := s.wants.change(peerID, func(w *want) { w.listed = listed })
	switch left := s.graceLeft(); {
	case !w.unlisted():
	case listed && left > 0:
		s.queue.AddAfter(peerID, left)
	default:
		s.queue.Add(peerID)
	}
}

// listed says whether the fleet's list, as the view shows it, names this replica.
func (s *Service) listed(peerID string) bool {
	list, _ := s.store.Interest.View().Get(peerID)
	return slices.Contains(list.Value, s.replicaID)
}

// graceLeft is how much of the moment after the start is left.
func (s *Service) graceLeft() time.Duration {
	started := s.started.Load()
	if started == nil {
		return s.pace.grace
	}
	return s.pace.grace - time.Since(*started)
}

func (s *Service) cached(peerID string) bool {
	_, ok := s.store.Planners.View().Get(peerID)
	return ok
}
