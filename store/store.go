package store

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/jet"
)

// Store is the shared state of the fleet, as one replica sees it.
type Store struct {
	Planners  *Planners
	Workflows *Workflows
	Interest  *Interest
	Requests  *Requests
	Leases    *Leases

	Nodes      *Nodes
	Liveness   *Liveness
	Executions *Executions
	Partitions *Partitions

	js       jetstream.JetStream
	refusals map[string]*jet.Refusal // by bucket
	clock    *clock
}

// Now is the time of NATS, by which all replicas decide alike, however wrong their own clocks are.
func (s *Store) Now() time.Time { return s.clock.now() }

// Open creates the buckets, or verifies that they are as this program needs them. It fails with an
// invalid Config, with a jet.ForeignError (several are joined), with a jet.NoClusterError, and
// with ErrUnavailable, after which it may be called again. The views of the store are empty until
// Run has loaded them. A nil reg means no metrics.
func Open(ctx context.Context, js jetstream.JetStream, cfg Config, log *slog.Logger, reg prometheus.Registerer) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	streams, err := ensureAll(ctx, js, cfg)
	if err != nil {
		return nil, err
	}
	clock := &clock{js: js}
	if err := clock.read(ctx); err != nil {
		return nil, err
	}
	o := opener{js, cfg, log, newViewMetrics(reg), newConflicts(reg), streams, newRefusals(), clock}
	return &Store{
		Planners:  newPlanners(o, o.bucket(PlannersBucket)),
		Workflows: newWorkflows(o, o.bucket(WorkflowsBucket)),
		Interest:  newInterest(o, o.bucket(InterestBucket)),
		Requests:  newRequests(o, o.bucket(RequestsBucket)),
		Leases:    newLeases(o, o.bucket(ReplicasBucket)),

		Nodes:      newNodes(o, o.bucket(NodesBucket)),
		Liveness:   newLiveness(o, o.bucket(LivenessBucket)),
		Executions: newExecutions(o, o.bucket(ExecutionsBucket)),
		Partitions: newPartitions(o, o.bucket(PartitionsBucket)),

		js: js, refusals: o.refusals,
		clock: clock,
	}, nil
}

// ensureAll creates or verifies all that the store needs on the server, and reports all that is
// foreign about it at once.
func ensureAll(ctx context.Context, js jetstream.JetStream, cfg Config) (map[string]jetstream.Stream, error) {
	streams := map[string]jetstream.Stream{}
	var errs []error
	for _, name := range buckets {
		stream, err := ensureStream(ctx, js, layout(name, cfg.Replicas))
		_, alone := errors.AsType[*jet.NoClusterError](err)
		if alone || errors.Is(err, ErrUnavailable) {
			return nil, err // the others would fail alike
		}
		streams[name], errs = stream, append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	_, err := ensureConsumer(ctx, js, streamName(PlannersBucket), endsConsumer())
	return streams, err
}

// Run keeps all views up to date, takes in what operators write by hand, ends planners that are past
// their time and keeps what was removed from coming back, until ctx ends; then it returns nil. It returns ErrUnavailable when the connection was closed for good.
func (s *Store) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, run := range []func(context.Context) error{
		s.Planners.view.Run, s.Workflows.view.Run, s.Interest.view.Run, s.Requests.view.Run, s.Leases.view.Run,
		s.Nodes.view.Run, s.Liveness.view.Run, s.Executions.view.Run, s.Partitions.view.Run,
		s.Planners.adoptAll, s.Planners.lapseAll, s.Workflows.gone.run, s.Interest.gone.run, s.Nodes.gone.run,
		s.resolve, s.clock.run,
	} {
		g.Go(func() error { return run(ctx) })
	}
	return g.Wait()
}

// opener holds what all buckets are opened with.
type opener struct {
	js        jetstream.JetStream
	cfg       Config
	log       *slog.Logger
	views     *viewMetrics
	conflicts *prometheus.CounterVec
	streams   map[string]jetstream.Stream // by bucket
	refusals  map[string]*jet.Refusal     // by bucket
	clock     *clock
}

func (o opener) bucket(name string) *bucket {
	return &bucket{name: name, prefix: subjectPrefix(name), js: o.js, stream: o.streams[name], conflicts: o.conflicts.WithLabelValues(name), refusal: o.refusals[name]}
}

// viewOptions make a view that brings its bucket back when an operator has removed it.
func (o opener) viewOptions(bucket string) []ViewOption {
	return []ViewOption{WithLogger(o.log), withMetrics(o.views), withRestore(func(ctx context.Context) error {
		_, err := ensureStream(ctx, o.js, layout(bucket, o.cfg.Replicas))
		return err
	})}
}
