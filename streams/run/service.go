package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/streams/queue"
)

// Orders has nodes execute something, and end it.
type Orders interface {
	// Execute fails with store.ErrExists for what was ordered before, orchestrator.ErrUnknownNode,
	// orchestrator.ErrNotApproved, kv.ErrTooLarge or kv.ErrUnavailable.
	Execute(ctx context.Context, nodeID string, order execution.Order) (execution.Execution, error)
	// CancelExecution fails with kv.ErrNotFound or kv.ErrUnavailable.
	CancelExecution(ctx context.Context, executionID, reason string) error
}

// Rooms are what is booked on nodes.
type Rooms interface {
	// Tell has a node told what an owner takes of an instance, before whatever it is ordered from then on. It fails
	// as Orders does.
	Tell(ctx context.Context, nodeID, owner string, at run.Place) error
}

// Schedules do what is due of a schedule, beside its runs.
type Schedules interface {
	// Due handles the message of a timer, of a revision, and sets the next timer.
	Due(ctx context.Context, id string, fired uint64) error
}

// Config is what runs are seen through with.
type Config struct {
	Schedules Schedules
	Grace     time.Duration // how long a node is waited for that is lost, or does not end what it is to end
	Orders    Orders
	Rooms     Rooms
	Node      func(run.Place) (run.Node, bool) // who offers an instance
	Ready     <-chan struct{}                  // closed when Node knows all that there are
	Log       *slog.Logger
	Metrics   prometheus.Registerer // nil: none
}

// Service is one replica's part in seeing runs through.
type Service struct {
	cfg   Config
	store *store.Store
	plan  *plan.Plan
	lines *lines
	nodes *queue.Queue        // to be looked at
	stood map[string]standing // how each node stood when runs were told; the nodes' worker's

	metrics metrics

	runs, schedules, bookings, timers, fired *kv.Keys
}

// New is the service of a store. It follows the store's views from now on, and acts while Run runs.
func New(st *store.Store, cfg Config) *Service {
	of := st.Plan.Stream()
	s := &Service{
		cfg: cfg, store: st, plan: st.Plan, lines: newLines(), nodes: queue.New(), stood: map[string]standing{},
		runs: of.Keys(plan.Runs), schedules: of.Keys(plan.Schedules), bookings: of.Keys(plan.Bookings),
		timers: of.Keys(plan.Due), fired: of.Keys(plan.Fired),
	}
	s.metrics = newMetrics(cfg.Metrics, st)
	st.Nodes.View().OnChange(s.nodes.Add)
	return s
}

// Run handles what is due, and what is told of executions and of nodes, until ctx ends; then it returns nil. It
// returns kv.ErrUnavailable when the connection was closed for good. The store's views must be running.
func (s *Service) Run(ctx context.Context) error {
	defer s.nodes.Stop()
	for _, loaded := range []<-chan struct{}{s.cfg.Ready, s.store.Nodes.View().Loaded(), s.store.Executions.View().Loaded()} {
		select {
		case <-loaded:
		case <-ctx.Done():
			return nil
		}
	}
	s.lookAtNodes()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.plan.OnDue(ctx, s.due) })
	g.Go(func() error { return s.readTold(ctx) })
	g.Go(func() error { s.watchNodes(ctx); return nil })
	return g.Wait()
}
