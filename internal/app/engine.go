package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/events"
	"oc-scheduler/httpapi"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/streams"
	"oc-scheduler/streams/booking"
	"oc-scheduler/streams/check"
	"oc-scheduler/streams/compose"
	"oc-scheduler/streams/demand"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/orchestrator"
	"oc-scheduler/streams/orphans"
	reporting "oc-scheduler/streams/report"
	"oc-scheduler/streams/run"
	"oc-scheduler/streams/slots"
)

// engine is what a replica is made of once NATS has answered.
type engine struct {
	log      *slog.Logger
	nc       *nats.Conn
	store    *store.Store
	lease    *store.Held
	composer *compose.Service
	demand   *demand.Service
	listener *events.Listener
	dead     jet.Letters
	intake   *jet.Intake
	checks   *check.Service
	nodes    *orchestrator.Service
	bookings *booking.Service
	risks    *booking.Risks
	runs     *run.Service
	slots    *slots.Service
	orphans  *orphans.Service
	history  *histories.Histories
	report   *reporting.Service

	leave chan struct{} // closed to end demand alone, before all else
	left  chan struct{} // closed when demand has ended
}

// assemble builds the engine, but for the lease. It changes nothing but buckets and streams, so it
// may be tried again: collectors are registered for good only when it succeeds.
func assemble(ctx context.Context, nc *nats.Conn, cfg Config, log *slog.Logger, parent prometheus.Registerer) (*engine, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	reg := prometheus.NewRegistry()
	st, err := openStore(ctx, js, cfg.store(), log, reg)
	if err != nil {
		return nil, err
	}
	bus, err := events.OpenBus(ctx, js, cfg.JSReplicas)
	if err != nil {
		return nil, err
	}
	past, err := histories.Open(ctx, js, cfg.JSReplicas)
	if err != nil {
		return nil, err
	}
	nodes, err := orchestrator.Open(ctx, js, st, cfg.nodes(log, reg))
	if err != nil {
		return nil, err
	}
	bookings := booking.New(st, reg)
	hub := streams.NewHub(reg)
	composer := compose.New(cfg.ReplicaID, st, log)
	wants := demand.New(cfg.ReplicaID, st, events.NewEmitter(js), composer, log, st.Now)
	composer.OnChange(wants.OffersChanged)
	st.Planners.View().OnChange(hub.PlannerChanged)
	st.Planners.View().OnChange(wants.PlannerChanged)
	st.Workflows.View().OnChange(hub.WorkflowChanged)
	st.Interest.View().OnChange(wants.InterestChanged)
	st.Nodes.View().OnChange(wants.NodeChanged)
	st.Plan.OnBookings(hub.BookingsChanged)
	rooms := tellSlots(st, nodes, composer, log)
	views := check.Views{Planners: st.Planners.View(), Workflows: st.Workflows.View(), Plan: st.Plan, Unseen: st.Hidden}
	runs := run.New(st, cfg.runs(st, bookings, nodes.Orders, rooms, composer, log, reg))
	return &engine{
		log:      log,
		nc:       nc,
		store:    st,
		composer: composer,
		demand:   wants,
		listener: events.NewListener(bus, wants, log, reg),
		dead:     events.DeadLetters(js),
		intake:   jet.NewIntake(js, streamNames()...),
		checks:   check.NewService(views, hub, wants, reg, time.Now),
		nodes:    nodes,
		bookings: bookings,
		risks:    booking.NewRisks(bookings),
		runs:     runs,
		slots:    rooms,
		orphans:  orphans.New(st, bookings, runs, log),
		history:  past,
		report:   report(st, past, events.NewEmitter(js), log),
		leave:    make(chan struct{}),
		left:     make(chan struct{}),
	}, parent.Register(reg)
}

// parts is what HTTP serves.
func (e *engine) parts() httpapi.Parts {
	return httpapi.Parts{
		Checks:    e.checks,
		Workflows: e.store.Workflows.View(),
		Shows:     e.store.Workflows.Shows,
		Planners:  e.store.Planners.View(),
		Plan:      e.store.Plan,
		Editor:    e.demand,
		Stored:    e.store.Planners,
		Nodes:     e.store.Nodes.View(),
		Pulses:    e.store.Liveness.View(),
		Offers:    e.store.Offers.View(),
		Leases:    e.store.Leases.View(),
		Members:   e.nodes.Members,
		Bookings:  e.bookings,
		Risks:     e.risks,
		Booked:    e.store.Plan.Overlay,
		Runs:      e.runs,
		Past:      e.history,

		Executions:       e.store.Executions.View(),
		StoredWorkflows:  e.store.Workflows,
		StoredNodes:      e.store.Nodes,
		StoredExecutions: e.store.Executions,
		Orders:           e.nodes.Orders,
		Outputs:          logstream.Client{Conn: e.nc, Logger: e.log},

		Tokens:   e.store.Tokens,
		Sessions: e.store.Sessions,
		Dead:     e.dead,
	}
}

// run runs the parts until ctx ends. They meet in the buckets only, so they may start and stop in
// any order.
func (e *engine) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.store.Run(ctx) })
	g.Go(func() error { return e.listener.Run(ctx) })
	g.Go(func() error { return e.intake.Run(ctx) })
	g.Go(func() error { return e.nodes.Run(ctx) })
	g.Go(func() error { return e.composer.Run(ctx) })
	g.Go(func() error { return e.runs.Run(ctx) })
	g.Go(func() error { return e.slots.Run(ctx) })
	g.Go(func() error { return e.risks.Run(ctx) })
	g.Go(func() error { return e.orphans.Run(ctx) })
	g.Go(func() error { return e.report.Run(ctx) })
	g.Go(func() error { return e.keepLease(ctx) })
	demanding, cancel := context.WithCancel(ctx)
	defer cancel()
	g.Go(func() error {
		defer close(e.left)
		return e.demand.Run(demanding)
	})
	g.Go(func() error {
		select {
		case <-e.leave:
		case <-ctx.Done():
		}
		cancel()
		return nil
	})
	return g.Wait()
}

// letGo ends demand and waits for it, so that streams that end from now on change nobody's interest:
// their clients reconnect to another replica and shall find their planners there.
func (e *engine) letGo() {
	close(e.leave)
	<-e.left
}
