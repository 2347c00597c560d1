package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

// logger shows what replicas log when ORCHESTRATOR_LOG is set.
func logger(name string) *slog.Logger {
	if os.Getenv("ORCHESTRATOR_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})).With("replica", name)
}

// replica is one scheduler's end, with a store and a connection of its own.
type replica struct {
	*orchestrator.Service
	store *store.Store
	js    jetstream.JetStream
	held  *store.Held

	cancel context.CancelFunc // as kill -9 does: without a word
	done   chan error
}

type world interface {
	Connect(tb testing.TB, opts ...nats.Option) *nats.Conn
}

// leaseTTL is shorter than in life, so that takeovers are quick.
const leaseTTL = 3 * time.Second

func startReplica(t testing.TB, w world, name string, change ...func(*orchestrator.Config)) *replica {
	t.Helper()
	cfg := orchestrator.Config{ReplicaID: name, LeaseTTL: leaseTTL, Logger: logger(name)}
	for _, f := range change {
		f(&cfg)
	}
	nc := w.Connect(t, nats.Name(name))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &replica{js: js, cancel: cancel, done: make(chan error, 3)}
	t.Cleanup(func() { r.stop(t) })
	natstest.Eventually(t, name+" can start", func() bool { err = r.open(ctx, name, cfg); return err == nil || jet.NeedsOperator(err) })
	if err != nil {
		t.Fatal(err)
	}
	go func() { r.done <- r.store.Run(ctx) }()
	go func() { r.done <- r.held.Run(ctx, store.LeaseEvents{}) }()
	go func() { r.done <- r.Run(ctx) }()
	natstest.Eventually(t, "somebody answers nodes", func() bool {
		_, err := nc.RequestWithContext(t.Context(), nclprotocol.ControlSubject("nobody"), nil)
		return err == nil
	})
	return r
}

func (r *replica) open(ctx context.Context, name string, cfg orchestrator.Config) (err error) {
	if r.store, err = store.Open(ctx, r.js, store.Config{Replicas: cfg.Copies, LeaseTTL: leaseTTL}, logger(name), nil); err != nil {
		return err
	}
	if r.held, err = r.store.Leases.Acquire(ctx, name, store.Lease{Version: "test", StartedAt: time.Now()}); err != nil {
		return err
	}
	r.Service, err = orchestrator.Open(ctx, r.js, r.store, cfg)
	return err
}

// kill ends a replica as kill -9 does: nobody is told.
func (r *replica) kill(t testing.TB) {
	t.Helper()
	r.js.Conn().Close()
	r.stop(t)
}

// drain ends a replica as SIGTERM does.
func (r *replica) drain(t testing.TB) {
	t.Helper()
	if err := r.held.SetDraining(t.Context()); err != nil && !errors.Is(err, kv.ErrUnavailable) {
		t.Error(err)
	}
	if err := r.Leave(t.Context()); err != nil {
		t.Error(err)
	}
	r.stop(t)
}

func (r *replica) stop(t testing.TB) {
	t.Helper()
	if r.cancel == nil {
		return
	}
	r.cancel()
	r.cancel = nil
	if r.Service == nil {
		return
	}
	for range cap(r.done) {
		select {
		case err := <-r.done:
			if err != nil && !errors.Is(err, kv.ErrUnavailable) {
				t.Errorf("replica ended: %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("a replica does not end")
		}
	}
}

// holders is how many partitions each replica holds, as the bucket says.
func holders(r *replica) map[string]int {
	n := map[string]int{}
	for _, p := range r.store.Partitions.View().Page("", 1000) {
		n[p.Value.Replica]++
	}
	return n
}

// settled waits until the partitions are spread evenly over those replicas.
func settled(t testing.TB, by *replica, names ...string) {
	t.Helper()
	natstest.Eventually(t, fmt.Sprintf("%v hold all", names), func() bool {
		n, all := holders(by), 0
		for _, name := range names {
			share := (32 + len(names) - 1) / len(names)
			if n[name] > share {
				return false
			}
			all += n[name]
		}
		return all == 32
	})
}
