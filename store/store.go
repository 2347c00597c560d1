package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planners"
	"oc-scheduler/store/sessions"
	"oc-scheduler/store/tokens"
)

// Store is the shared state of the fleet, as one replica sees it.
type Store struct {
	Planners  *planners.Planners
	Workflows *Workflows
	Interest  *Interest
	Requests  *Requests
	Leases    *Leases

	Nodes      *Nodes
	Liveness   *Liveness
	Executions *Executions
	Partitions *Partitions
	Offers     *Offers

	Tokens   *tokens.Tokens
	Sessions *sessions.Sessions

	Plan *plan.Plan

	cfg     Config
	log     *slog.Logger
	clock   *kv.Clock
	streams []*kv.Stream // by row of the table
	views   []view       // likewise
}

// Now is the time of NATS, by which all replicas decide alike, however wrong their own clocks are.
func (s *Store) Now() time.Time { return s.clock.Now() }

// Open creates the buckets, or verifies that they are as this program needs them. It fails with an
// invalid Config, with a jet.ForeignError or jet.LayoutError (several are joined), with a
// jet.NoClusterError, and with kv.ErrUnavailable, after which it may be called again: metrics are registered when it succeeds, a nil
// reg means none. The views of the store are empty until Run has loaded them.
func Open(ctx context.Context, js jetstream.JetStream, cfg Config, log *slog.Logger, reg prometheus.Registerer) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &Store{cfg: cfg.withDefaults(), log: log}
	var err error
	if s.streams, err = kv.Open(ctx, js, kv.Config{Replicas: s.cfg.Replicas, Log: log}, layouts()...); err != nil {
		return nil, err
	}
	if s.clock, err = kv.ReadClock(ctx, s.streams[0]); err != nil {
		return nil, err
	}
	metrics := kv.NewMetrics(reg)
	for i, r := range table {
		s.streams[i].Measure(metrics)
		s.views = append(s.views, r.open(s, s.streams[i]))
	}
	promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "oc_scheduler_planners_cached", Help: "Planners that this replica has in memory.",
	}, func() float64 { return float64(s.Planners.View().Len()) })
	return s, nil
}

// Run keeps all views up to date, takes in what operators write by hand, ends planners that are past
// their time, keeps what was removed from coming back, and tries buckets again that took no write, until ctx
// ends; then it returns nil. It returns kv.ErrUnavailable when the connection was closed for good.
func (s *Store) Run(ctx context.Context) error {
	parts := []func(context.Context) error{
		s.Planners.AdoptAll, s.Planners.LapseAll, s.Workflows.gone.Run, s.Interest.gone.Run, s.Nodes.gone.Run, s.Offers.gone.Run,
		s.clock.Run, s.resolve,
	}
	for _, v := range s.views {
		parts = append(parts, v.Run)
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, run := range parts {
		g.Go(func() error { return run(ctx) })
	}
	return g.Wait()
}

// Hidden are those of some schedules and holds that are not there for a subject, or of which nobody knows whose they
// are.
func (s *Store) Hidden(who *access.Subject, owners []string) (list []string) {
	if who.Everywhere() {
		return nil
	}
	for _, owner := range owners {
		if workflowID, _ := s.Plan.WorkflowOf(owner); !s.Workflows.Shows(who, workflowID) {
			list = append(list, owner)
		}
	}
	return list
}
