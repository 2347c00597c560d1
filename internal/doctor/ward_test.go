package doctor_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/doctor"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/store/planners"
	"oc-scheduler/streams/orchestrator"
	"oc-scheduler/streams/report"
	"oc-scheduler/streams/run"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

var discard = slog.New(slog.DiscardHandler)

// ward is an installation that has something, or nothing.
type ward struct {
	t   *testing.T
	srv *natstest.Server
	js  jetstream.JetStream
	st  *store.Store
	cfg doctor.Config
}

// admit starts a server with all that replicas make on it, but without a replica that would mend
// what a test breaks.
func admit(t *testing.T, change ...func(*server.Options)) *ward {
	t.Helper()
	w := newServer(t, change...)
	var err error
	if w.st, err = store.Open(t.Context(), w.js, store.Config{}, discard, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := events.OpenBus(t.Context(), w.js, 1); err != nil {
		t.Fatal(err)
	}
	for _, x := range slices.Concat(orchestrator.Expect(1), histories.Expect(1)) {
		if _, err := w.js.CreateStream(t.Context(), x.Stream); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// newServer starts a server that nobody has used yet.
func newServer(t *testing.T, change ...func(*server.Options)) *ward {
	t.Helper()
	monitor := freeAddress(t)
	srv := natstest.Start(t, append([]func(*server.Options){func(o *server.Options) {
		o.SyncAlways = true
		o.HTTPHost, o.HTTPPort = monitor.IP.String(), monitor.Port
	}}, change...)...)
	return &ward{t: t, srv: srv, js: srv.JetStream(t), cfg: doctor.Config{
		URLs: []string{srv.URL()}, Monitors: []string{monitor.String()}, Settling: 20 * time.Millisecond,
	}}
}

func freeAddress(t *testing.T) *net.TCPAddr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("listening on %v", l.Addr())
	}
	return addr
}

// staff lets the parts of a replica that read run until the test ends, under a lease.
func (w *ward) staff(t *testing.T) {
	t.Helper()
	w.lease(t, "r1")
	bus, err := events.OpenBus(t.Context(), w.js, 1)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, w.st.Run)
	natstest.Run(t, events.NewListener(bus, deaf{}, discard, nil).Run)
	natstest.Run(t, func(ctx context.Context) error {
		return w.st.Planners.Ends(ctx, func(context.Context, planners.End) error { return nil })
	})
	ready := make(chan struct{})
	close(ready)
	natstest.Run(t, run.New(w.st, run.Config{Ready: ready, Log: discard}).Run)
	past, err := histories.Open(t.Context(), w.js, 1)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, report.New(w.st.Plan, report.Config{Histories: past, Ready: ready, Log: discard}).Run)
	<-w.st.Planners.View().Loaded()
	natstest.Eventually(t, "all durables are read", func() bool {
		return w.waiting(t, events.Stream, events.Durable) && w.waiting(t, "KV_planners", "oc-scheduler-ends") &&
			w.waiting(t, "KV_plan", "oc-scheduler-due") && w.waiting(t, "KV_executions", "oc-scheduler-told") &&
			w.waiting(t, "KV_plan", "oc-scheduler-changes")
	})
}

func (w *ward) waiting(t *testing.T, stream, consumer string) bool {
	t.Helper()
	c, err := w.js.Consumer(t.Context(), stream, consumer)
	if err != nil {
		t.Fatal(err)
	}
	return c.CachedInfo().NumWaiting > 0
}

func (w *ward) lease(t *testing.T, replica string) {
	t.Helper()
	lease := store.Lease{Version: "v1", Address: "127.0.0.1:1", StartedAt: time.Now()}
	if _, err := w.st.Leases.Acquire(t.Context(), replica, lease); err != nil {
		t.Fatal(err)
	}
}

// put writes past all rules, as `nats kv put` does.
func (w *ward) put(t *testing.T, bucket, key, value string) {
	t.Helper()
	if _, err := w.js.Publish(t.Context(), "$KV."+bucket+"."+key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

func plannerJSON(peerID string, generated time.Time) string {
	return fmt.Sprintf(`{"peer_id":%q,"generated_at":%q,"capacities":{"r":{"i0":{"ram_gb":1}}}}`,
		peerID, generated.UTC().Format(time.RFC3339Nano))
}

// deaf handles events by forgetting them.
type deaf struct{}

var _ events.Handler = deaf{}

func (deaf) PlannerPublished(context.Context, events.Arrival, []byte) error { return nil }
func (deaf) PlannerAsked(context.Context, events.Arrival, string) error     { return nil }
func (deaf) WorkflowCreated(context.Context, events.Arrival, []byte) error  { return nil }
func (deaf) WorkflowRemoved(context.Context, events.Arrival, string) error  { return nil }

// want fails unless a finding has the level, the check, all words of what, and a word of mend.
func want(t *testing.T, findings []doctor.Finding, level doctor.Level, check string, what ...string) doctor.Finding {
	t.Helper()
	runnable(t, findings)
	for _, f := range findings {
		if f.Level == level && f.Check == check && holds(f.What+"; "+strings.Join(f.Follows, "; "), what) {
			if (level == doctor.OK) != (f.Mend == "") {
				t.Errorf("%v %s: %s\n\tmend: %q", f.Level, f.Check, f.What, f.Mend)
			}
			return f
		}
	}
	t.Errorf("no finding %v %s with %q in\n%s", level, check, what, list(findings))
	return doctor.Finding{}
}

func holds(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// wantRest fails when a check other than the given ones finds something.
func wantRest(t *testing.T, findings []doctor.Finding, ill ...string) {
	t.Helper()
	for _, f := range findings {
		if f.Level != doctor.OK && !strings.Contains(strings.Join(ill, ","), f.Check) {
			t.Errorf("%v %s: %s", f.Level, f.Check, f.What)
		}
	}
}

func list(findings []doctor.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%-7v %-12s %s\n", f.Level, f.Check, f.What)
		if f.Mend != "" {
			fmt.Fprintf(&b, "%22s%s\n", "→ ", f.Mend)
		}
		if len(f.Follows) > 0 {
			fmt.Fprintf(&b, "%22s%s\n", "therefore ", strings.Join(f.Follows, "; "))
		}
	}
	return b.String()
}
