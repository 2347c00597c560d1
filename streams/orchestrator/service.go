package orchestrator

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/streams/envelope"
)

// giveBackWithin bounds what the end of a replica waits for NATS.
const giveBackWithin = 2 * time.Second

// Service is one replica's end of the connections of all nodes.
type Service struct {
	Orders  *Orders
	Members *Members

	js      jetstream.JetStream
	cfg     Config
	store   *store.Store
	desk    *desk
	worker  *worker
	control *control
	warden  *warden
	holder  *holder
	reader  *reader
	courier *courier
	settler *reconciler

	leave     chan struct{} // closed to end Run
	leaveOnce sync.Once
	started   chan struct{} // closed when Run was called
	left      chan struct{} // closed when it has ended
}

// Open makes the streams, or verifies those that stand. It fails when cfg is not valid, with a
// *jet.ForeignError or *jet.NoClusterError for what an operator must mend; any other error may pass.
// st must be run by the caller.
func Open(ctx context.Context, js jetstream.JetStream, st *store.Store, cfg Config) (*Service, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	for _, want := range Expect(cfg.Copies) {
		_, err := jet.EnsureStream(ctx, js, want.Stream)
		if jet.NeedsOperator(err) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", want.Stream.Name, err)
		}
	}
	orders, err := newOrders(js, st, cfg.Copies)
	if err != nil {
		return nil, err
	}
	registry, err := registryOf()
	if err != nil {
		return nil, err
	}
	m, d, unended := newMetrics(cfg.Metrics), newDesk(), newOpen(st.Executions.View())
	m.watch(cfg.Metrics, st, d)
	return &Service{
		Orders: orders, Members: &Members{st, orders, cfg.Logger},
		js: js, cfg: cfg, store: st, desk: d,
		worker:  &worker{js, st, d, cfg.Handler, envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry}, cfg.Logger, m, newQuiet()},
		control: newControl(js, st, cfg, m),
		warden:  newWarden(js, st, cfg, m),
		holder:  newHolder(st, d, cfg),
		courier: &courier{orders, unended, d, cfg.LeaseTTL, cfg.Logger},
		settler: &reconciler{st, orders, unended, d, cfg.Logger, map[string]string{}, map[string]meeting{}},
		reader:  &reader{js: js, copies: cfg.Copies, desk: d, log: cfg.Logger},
		leave:   make(chan struct{}), started: make(chan struct{}), left: make(chan struct{}),
	}, nil
}

// Run serves nodes until ctx ends or Leave is called, and then gives the rest to other replicas. It is
// called once. The store must be running.
func (s *Service) Run(ctx context.Context) error {
	close(s.started)
	defer close(s.left)
	ctx, cancel := context.WithCancel(ctx)
	var leaving sync.WaitGroup
	defer leaving.Wait()
	defer cancel()
	leaving.Go(func() {
		select {
		case <-s.leave:
			cancel()
		case <-ctx.Done():
		}
	})
	if !s.loaded(ctx) {
		return nil
	}
	s.work(ctx)
	end, cancelEnd := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
	defer cancelEnd()
	s.holder.giveBack(end)
	return nil
}

// Holds says whether this replica is the one that looks after a node.
func (s *Service) Holds(nodeID string) bool { return s.desk.holds(nodeID) }

// Leave ends Run and waits for that: this replica answers no more nodes, and other ones go on at once
// with what it held. It fails with ctx's error.
func (s *Service) Leave(ctx context.Context) error {
	s.leaveOnce.Do(func() { close(s.leave) })
	select {
	case <-s.started:
	default:
		return nil
	}
	select {
	case <-s.left:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// loaded waits for the views: before that every node would look unknown, and every partition free.
func (s *Service) loaded(ctx context.Context) bool {
	for _, loaded := range []<-chan struct{}{
		s.store.Nodes.View().Loaded(), s.store.Liveness.View().Loaded(), s.store.Offers.View().Loaded(),
		s.store.Partitions.View().Loaded(), s.store.Leases.View().Loaded(), s.store.Executions.View().Loaded(),
	} {
		select {
		case <-loaded:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// work runs all parts until ctx ends.
func (s *Service) work(ctx context.Context) {
	var parts sync.WaitGroup
	parts.Go(func() { s.control.run(ctx) })
	parts.Go(func() { s.warden.run(ctx) })
	parts.Go(func() { s.reader.run(ctx) })
	parts.Go(func() { s.holder.run(ctx) })
	parts.Go(func() { jet.Every(ctx, courierEvery, s.courier.round) })
	parts.Go(func() { jet.Every(ctx, reconcileEvery, s.settler.round) })
	for range workers {
		parts.Go(func() { s.worker.run(ctx) })
	}
	parts.Wait()
}
