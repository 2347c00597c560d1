package app

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"oc-scheduler/events"
	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/carry"
	"oc-scheduler/internal/natsd"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
	pure "oc-scheduler/store/run"
	"oc-scheduler/streams/booking"
	"oc-scheduler/streams/compose"
	"oc-scheduler/streams/orchestrator"
	reporting "oc-scheduler/streams/report"
	"oc-scheduler/streams/run"
	"oc-scheduler/streams/slots"
)

// http is the part of the configuration that package httpapi takes.
func (c Config) http() httpapi.Config {
	return httpapi.Config{
		AllowOrigins: c.AllowOrigin,
		Auth:         c.guarded(),

		TrustedProxies: c.proxies(), Unproxied: c.undecided() && !c.guarded(),
		ReadsPerSecond: c.RateReads, WritesPerSecond: c.RateWrites,
		Streams: carry.Config{MaxStreams: c.MaxStreams, MaxStreamsPerClient: c.MaxStreamsPerClient},
	}
}

// store is the part of the configuration that package store takes.
func (c Config) store() store.Config {
	return store.Config{Replicas: c.JSReplicas, PlannerTTL: c.PlannerTTL}
}

// openStore opens the store beside the bus.
func openStore(ctx context.Context, js jetstream.JetStream, cfg store.Config, log *slog.Logger, reg prometheus.Registerer) (*store.Store, error) {
	cfg.LastOnBus = func(ctx context.Context) (origin.Source, error) {
		a, err := events.Last(ctx, js)
		return origin.Source{Seq: a.Seq, Time: a.Time, Bus: a.Bus}, err
	}
	return store.Open(ctx, js, cfg, log, reg)
}

// nodes is the part of the configuration that package orchestrator takes.
func (c Config) nodes(log *slog.Logger, reg prometheus.Registerer) orchestrator.Config {
	return orchestrator.Config{
		ReplicaID: c.ReplicaID, Copies: c.JSReplicas, ManualApproval: c.approvesByHand(), ProvenPeers: c.NodePeers == byPrefix,
		Logger: log, Metrics: reg,
	}
}

// runs is the part of the configuration that package run takes, beside those whom it needs.
func (c Config) runs(st *store.Store, bookings *booking.Service, orders *orchestrator.Orders, rooms *slots.Service, nodes *compose.Service, log *slog.Logger, reg prometheus.Registerer) run.Config {
	return run.Config{
		Schedules: bookings, Grace: c.NodeGrace, Orders: orders, Rooms: rooms, Ready: nodes.Ready(), Log: log.With("component", "runs"), Metrics: reg,
		Node: func(at pure.Place) (pure.Node, bool) {
			nodeID, ok := nodes.Node(at.PeerID, planner.Ref{ResourceID: at.ResourceID, InstanceID: at.InstanceID})
			entry, _ := st.Nodes.View().Get(nodeID)
			return pure.Node{ID: nodeID, AsOf: entry.Revision}, ok
		},
	}
}

// report tells of bookings and runs.
func report(st *store.Store, to *histories.Histories, bus reporting.Bus, log *slog.Logger) *reporting.Service {
	return reporting.New(st.Plan, reporting.Config{
		Bus: bus, Histories: to, Log: log.With("component", "report"), Ready: st.Workflows.View().Loaded(),
		Groups: func(workflowID string) []string {
			groups, _ := st.Workflows.GroupsOf(workflowID)
			return groups
		},
	})
}

// tellSlots has nodes told what is booked on them.
func tellSlots(st *store.Store, nodes *orchestrator.Service, composer *compose.Service, log *slog.Logger) *slots.Service {
	s := slots.New(st, slots.Config{
		Orders: nodes.Orders, Nodes: composer, Ready: composer.Ready(), Holds: nodes.Holds, Log: log.With("component", "slots"),
	})
	composer.OnChange(s.Changed)
	return s
}

// expected are the streams that a replica needs.
func expected(copies int) []jet.Expected {
	return slices.Concat(store.Expect(copies), events.Expect(copies), orchestrator.Expect(copies), histories.Expect(copies))
}

// streamNames are those of the streams that are no buckets.
func streamNames() []string {
	var names []string
	for _, x := range slices.Concat(events.Expect(1), orchestrator.Expect(1), histories.Expect(1)) {
		names = append(names, x.Stream.Name)
	}
	return names
}

// startNATS starts the embedded server, or says which flag helps.
func startNATS(ctx context.Context, cfg Config, log *slog.Logger) (*natsd.Server, error) {
	server, err := natsd.Start(ctx, natsd.Options{Listen: cfg.NATSListen, DataDir: cfg.DataDir, Log: log})
	switch {
	case err == nil:
		return server, nil
	case strings.Contains(err.Error(), syscall.EADDRINUSE.Error()): // the server keeps its errors as text
		return nil, fmt.Errorf("--nats-listen: %s is in use by another program; choose another address, port 0 for any free one, or off", cfg.NATSListen)
	}
	return nil, fmt.Errorf("embedded NATS server on --data-dir %s: %w", cfg.DataDir, err)
}

// newRegistry holds the metrics of the process, beside those that the parts add.
func newRegistry(version string) *prometheus.Registry {
	reg := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "oc_scheduler_build_info",
		Help:        "Always 1; the label tells the version.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	reg.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}
