package store

import (
	"context"
	"errors"
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// Store is the shared state of the fleet, as one replica sees it.
type Store struct {
	Planners  *Planners
	Workflows *Workflows
	Interest  *Interest
	Requests  *Requests
	Leases    *Leases
}

// Open creates the buckets, or verifies that they are as this program needs them. It fails with an
// invalid Config, with a ForeignConfigError (several are joined), and with ErrUnavailable, after
// which it may be called again. The views of the store are empty until Run has loaded them. A nil
// reg means no metrics.
func Open(ctx context.Context, js jetstream.JetStream, cfg Config, log *slog.Logger, reg prometheus.Registerer) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	o := opener{js, cfg.withDefaults(), log, newViewMetrics(reg), newConflicts(reg)}
	buckets := map[string]*bucket{}
	var errs []error
	for _, name := range []string{PlannersBucket, WorkflowsBucket, InterestBucket, ReplicasBucket, RequestsBucket} {
		b, err := o.bucket(ctx, name)
		if errs = append(errs, err); errors.Is(err, ErrUnavailable) {
			break // the others would only wait as long again
		}
		buckets[name] = b
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if _, err := ensureConsumer(ctx, js, streamName(PlannersBucket), endsConsumer()); err != nil {
		return nil, err
	}
	return &Store{
		Planners:  newPlanners(o, buckets[PlannersBucket]),
		Workflows: newWorkflows(o, buckets[WorkflowsBucket]),
		Interest:  newInterest(o, buckets[InterestBucket]),
		Requests:  newRequests(o, buckets[RequestsBucket]),
		Leases:    newLeases(o, buckets[ReplicasBucket]),
	}, nil
}

// Run keeps all views up to date, and takes in what operators write by hand, until ctx ends; then
// it returns nil. It returns ErrUnavailable when the connection was closed for good.
func (s *Store) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, run := range []func(context.Context) error{
		s.Planners.view.Run, s.Workflows.view.Run, s.Interest.view.Run, s.Requests.view.Run, s.Leases.view.Run,
		s.Planners.adoptAll,
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
}

func (o opener) bucket(ctx context.Context, name string) (*bucket, error) {
	stream, err := ensureStream(ctx, o.js, layout(name, o.cfg.Replicas))
	if err != nil {
		return nil, err
	}
	return &bucket{name: name, js: o.js, stream: stream, conflicts: o.conflicts.WithLabelValues(name)}, nil
}

// viewOptions make a view that brings its bucket back when an operator has removed it.
func (o opener) viewOptions(bucket string) []ViewOption {
	return []ViewOption{WithLogger(o.log), withMetrics(o.views), withEnsure(func(ctx context.Context) error {
		_, err := ensureStream(ctx, o.js, layout(bucket, o.cfg.Replicas))
		return err
	})}
}
