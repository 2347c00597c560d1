package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	bus "oc-scheduler/events"
	"oc-scheduler/httpapi"
	"oc-scheduler/internal/natstest"
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
	"oc-scheduler/streams/report"
	"oc-scheduler/streams/run"
)

// patience bounds every wait of a test; far above what a loaded machine takes.
const patience = 20 * time.Second

// site is a whole replica behind a real listener, on a NATS server of its own.
type site struct {
	*httpapi.Server
	url    string
	nats   *natstest.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	store  *store.Store
	parts  httpapi.Parts
	bus    *recorder
	reg    *prometheus.Registry
	log    *journal
	client *http.Client
	checks []httpapi.Check
	seq    uint64
}

// newSite starts a replica whose views are loaded.
func newSite(t testing.TB, cfg httpapi.Config) *site {
	t.Helper()
	s := newBareSite(t, cfg)
	s.nats = natstest.Start(t)
	nc := s.nats.Connect(t, nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.ReconnectWait(20*time.Millisecond))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s.conn, s.js = nc, js
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if s.store, err = store.Open(t.Context(), js, store.Config{}, log, s.reg); err != nil {
		t.Fatal(err)
	}
	hub := streams.NewHub(nil)
	composer := compose.New("replica-1", s.store, log)
	wants := demand.New("replica-1", s.store, s.bus, composer, log, time.Now)
	planners, workflows := s.store.Planners.View(), s.store.Workflows.View()
	planners.OnChange(hub.PlannerChanged)
	planners.OnChange(wants.PlannerChanged)
	workflows.OnChange(hub.WorkflowChanged)
	s.store.Interest.View().OnChange(wants.InterestChanged)
	s.store.Nodes.View().OnChange(wants.NodeChanged)
	s.store.Plan.OnBookings(hub.BookingsChanged)
	views := check.Views{Planners: planners, Workflows: workflows, Plan: s.store.Plan, Unseen: s.store.Hidden}
	s.parts = httpapi.Parts{
		Checks: check.NewService(views, hub, wants, s.reg, time.Now), Workflows: workflows, Shows: s.store.Workflows.Shows, Planners: planners, Plan: s.store.Plan,
		Editor: wants, Stored: s.store.Planners,
		Nodes: s.store.Nodes.View(), Pulses: s.store.Liveness.View(), Leases: s.store.Leases.View(), Offers: s.store.Offers.View(),
		StoredWorkflows: s.store.Workflows, StoredNodes: s.store.Nodes,
		Tokens: s.store.Tokens, Sessions: s.store.Sessions, Dead: bus.DeadLetters(js),
		Executions: s.store.Executions.View(), StoredExecutions: s.store.Executions, Outputs: logstream.Client{Conn: nc},
	}
	nodes, err := orchestrator.Open(t.Context(), js, s.store, orchestrator.Config{ReplicaID: "replica-1"})
	if err != nil {
		t.Fatal(err)
	}
	s.parts.Orders, s.parts.Members = nodes.Orders, nodes.Members
	bookings := booking.New(s.store, nil)
	s.parts.Bookings, s.parts.Risks, s.parts.Booked = bookings, booking.NewRisks(bookings), s.store.Plan.Overlay
	natstest.Run(t, s.parts.Risks.Run)
	runs := run.New(s.store, run.Config{
		Schedules: bookings, Grace: time.Minute, Orders: stage{s.store}, Rooms: stage{s.store}, Node: stageNode, Ready: composer.Ready(), Log: log,
	})
	s.parts.Runs = runs
	past, err := histories.Open(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.parts.Past = past
	natstest.Run(t, report.New(s.store.Plan, report.Config{Bus: deaf{}, Histories: past, Groups: func(string) []string { return nil }, Ready: workflows.Loaded(), Log: log}).Run)
	natstest.Run(t, runs.Run)
	natstest.Run(t, orphans.New(s.store, bookings, runs, log).Run)
	natstest.Run(t, s.store.Run)
	natstest.Run(t, composer.Run)
	natstest.Run(t, wants.Run)
	wait(t, planners.Loaded(), "planners")
	wait(t, workflows.Loaded(), "workflows")
	wait(t, s.store.Plan.Loaded(), "plan")
	wait(t, s.parts.Nodes.Loaded(), "nodes")
	wait(t, s.parts.Executions.Loaded(), "executions")
	wait(t, s.store.Tokens.View().Loaded(), "tokens")
	wait(t, s.store.Sessions.View().Loaded(), "sessions")
	s.Attach(s.parts)
	return s
}

// deaf is a bus that nobody listens to.
type deaf struct{}

func (deaf) Created(context.Context, string, []string, []byte, string) error { return nil }
func (deaf) Removed(context.Context, string, []string, []byte, string) error { return nil }

// newBareSite starts a server that has nothing to serve yet.
func newBareSite(t testing.TB, cfg httpapi.Config) *site {
	t.Helper()
	s := &site{bus: &recorder{}, reg: prometheus.NewRegistry(), log: &journal{}}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server, err := httpapi.New(cfg, func() []httpapi.Check { return s.checks }, log, s.reg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Server, s.url = server, "http://"+l.Addr().String()
	transport := &http.Transport{}
	s.client = &http.Client{Transport: transport}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		if err := errors.Join(server.Drain(ctx), server.Shutdown(ctx), <-served); err != nil {
			t.Errorf("stopping: %v", err)
		}
		for _, bad := range []string{"hijacked", "superfluous", "already committed", "panic"} {
			if s.log.holds(bad) && !t.Failed() && !s.log.expected(bad) {
				t.Errorf("the log speaks of %q:\n%s", bad, s.log)
			}
		}
	})
	return s
}

func wait(t testing.TB, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
	}
}

// recorder stands for the bus and notes what is sent there.
type recorder struct {
	mu       sync.Mutex
	requests []string
}

func (r *recorder) RequestPlanner(_ context.Context, peerID string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, peerID)
	return nil
}

func (*recorder) AnswerPlanner(context.Context, []byte, string) error { return nil }

func (r *recorder) seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

func (r *recorder) ClosePlanner(context.Context, string, string) error { return nil }

func (r *recorder) Said(context.Context, string, time.Time) (bool, error) { return false, nil }

// journal keeps the log.
type journal struct {
	mu      sync.Mutex
	text    bytes.Buffer
	allowed []string
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) holds(s string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Contains(j.text.Bytes(), []byte(s))
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// allow says that a test means the log to hold something.
func (j *journal) allow(s string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.allowed = append(j.allowed, s)
}

func (j *journal) expected(s string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Contains(j.allowed, s)
}
