package demand

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/compose"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

// fleet is a NATS server with replicas of everything below the HTTP side, and an ear on the bus.
type fleet struct {
	server *natstest.Server
	nc     *nats.Conn
	js     jetstream.JetStream
	began  time.Time
	offset atomic.Int64 // what the replicas' clock has gone on since, in ns

	afterClose func()                // if any: called when a close has been sent
	voices     []jetstream.JetStream // the replicas' connections

	mu    sync.Mutex
	heard []string // what the scheduler said on the bus: "PB_PLANNER p"
}

type replica struct {
	*Service
	store *store.Store
	lease *store.Held
	stop  func() // as kill -9 does: nothing is tidied up
}

// spy is a real Emitter that lets a test strike between a close and what follows.
type spy struct {
	*events.Emitter
	fleet *fleet
}

func (s spy) ClosePlanner(ctx context.Context, peerID, id string) error {
	err := s.Emitter.ClosePlanner(ctx, peerID, id)
	if err == nil && s.fleet.afterClose != nil {
		s.fleet.afterClose()
	}
	return err
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{server: natstest.Start(t), began: time.Now()}
	f.nc = f.server.Connect(t)
	js, err := jetstream.New(f.nc)
	if err != nil {
		t.Fatal(err)
	}
	f.js = js
	if _, err := f.nc.Subscribe(events.Propagation, f.hear); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fleet) hear(m *nats.Msg) {
	said, err := spoken(m.Data)
	if err != nil || said == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.heard = append(f.heard, said)
}

// said is what the scheduler has said of a peer, in order.
func (f *fleet) said(peerID string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []string
	for _, s := range f.heard {
		if action, of, _ := strings.Cut(s, " "); of == peerID {
			list = append(list, map[string]string{"PB_PLANNER": "request", "PB_CLOSE_PLANNER": "close"}[action])
		}
	}
	return strings.Join(list, " ")
}

// now is the replicas' clock. It stands still but for a nanosecond a look, so that no request is repeated because a
// machine is slow, and what was asked before a close is older than that.
func (f *fleet) now() time.Time { return f.began.Add(time.Duration(f.offset.Add(1))) }

func (f *fleet) replica(t *testing.T, id string) *replica {
	t.Helper()
	js := f.server.JetStream(t)
	f.voices = append(f.voices, js)
	log := slog.New(slog.DiscardHandler)
	st, err := store.Open(t.Context(), js, store.Config{LeaseTTL: 3 * time.Second}, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	bus, err := events.OpenBus(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	composer := compose.New(id, st, log)
	s := New(id, st, spy{events.NewEmitter(js), f}, composer, log, f.now)
	composer.OnChange(s.OffersChanged)
	s.pace = pace{100 * time.Millisecond, 500 * time.Millisecond}
	st.Planners.View().OnChange(s.PlannerChanged)
	st.Interest.View().OnChange(s.InterestChanged)
	st.Nodes.View().OnChange(s.NodeChanged)
	lease, err := st.Leases.Acquire(t.Context(), id, store.Lease{Address: id})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) error{
		st.Run, composer.Run, s.Run, events.NewListener(bus, s, log, nil).Run,
		func(ctx context.Context) error { return lease.Run(ctx, store.LeaseEvents{}) },
	} {
		wg.Go(func() {
			if err := run(ctx); err != nil {
				t.Errorf("replica %s: %v", id, err)
			}
		})
	}
	stop := sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(stop)
	if !s.loaded(t.Context()) {
		t.Fatal("not loaded")
	}
	return &replica{s, st, lease, stop}
}

// publish sends an event as other services do.
func (f *fleet) publish(t *testing.T, subject string, e events.Envelope) {
	t.Helper()
	publishBy(t, f.js, subject, e)
}

func publishBy(t *testing.T, js jetstream.JetStream, subject string, e events.Envelope) {
	t.Helper()
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), subject, data); err != nil {
		t.Fatal(err)
	}
}

func (f *fleet) publishPlanner(t *testing.T, peerID string) {
	t.Helper()
	planner := fmt.Appendf(nil, `{"peer_id":%q,"generated_at":%q,"capacities":{"r":{"i0":{"cpu":1}}}}`, peerID, time.Now().UTC().Format(time.RFC3339Nano))
	payload, err := events.Propagated{Action: "PB_PLANNER", Payload: planner}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f.publish(t, events.Propagation, events.Envelope{FromApp: "oc-discovery", Payload: payload})
}

func (f *fleet) publishWorkflow(t *testing.T, id string, peers ...string) {
	t.Helper()
	var items []string
	for _, p := range peers {
		items = append(items, fmt.Sprintf(`"n-%s":{"compute":{"id":"r","peer_id":%q}}`, p, p))
	}
	f.publish(t, events.CreateResource, events.Envelope{
		FromApp: "oc-workflow", Datatype: "WORKFLOW", Payload: fmt.Appendf(nil, `{"id":%q,"graph":{"items":{%s}}}`, id, strings.Join(items, ",")),
	})
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	natstest.Eventually(t, what, ok)
}

func (f *fleet) eventuallySaid(t *testing.T, peerID, want string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("said of %s: %q", peerID, f.said(peerID))
		}
	}()
	eventually(t, fmt.Sprintf("%q said of %s", want, peerID), func() bool { return f.said(peerID) == want })
}

// endsAreTold waits until what has to be said of all ends so far is said, and heard.
func (f *fleet) endsAreTold(t *testing.T) {
	t.Helper()
	eventually(t, "all ends are told", func() bool {
		ends, err := f.js.Consumer(t.Context(), "KV_planners", "oc-scheduler-ends")
		return err == nil && ends.CachedInfo().NumPending == 0 && ends.CachedInfo().NumAckPending == 0
	})
	f.hearsAll(t)
}

// hearsAll waits until all that was said is heard. Only what came by one connection is heard in order, and
// a server acknowledges what it has not yet given to every ear: so each replica's connection says a last word.
func (f *fleet) hearsAll(t *testing.T) {
	t.Helper()
	payload, err := events.Propagated{Action: "PB_PLANNER", Payload: []byte(`{"peer_id":"all"}`)}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := f.said("all")
	for _, js := range f.voices {
		publishBy(t, js, events.Propagation, events.Envelope{FromApp: "oc-scheduler", Payload: payload})
		want = strings.TrimSpace(want + " request")
	}
	f.eventuallySaid(t, "all", want)
}

// listed reads a peer's interest list from the bucket; "none" when there is no key.
func (r *replica) replicas(t *testing.T, peerID string) string {
	t.Helper()
	list, err := r.store.Interest.Replicas(t.Context(), peerID)
	if err != nil {
		return err.Error()
	}
	return strings.Join(list, " ")
}
