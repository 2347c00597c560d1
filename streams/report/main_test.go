package report_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/store/history"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/report"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

// replica has a plan, and can tell of it.
type replica struct {
	*plan.Plan
	past *histories.Histories
	bus  report.Bus
}

func newReplica(t *testing.T, s *natstest.Server) *replica {
	t.Helper()
	js := s.JetStream(t)
	st, err := store.Open(t.Context(), js, store.Config{}, slog.New(slog.DiscardHandler), nil)
	if err == nil {
		_, err = events.OpenBus(t.Context(), js, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	past, err := histories.Open(t.Context(), js, 1)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, st.Run)
	natstest.Receive(t, st.Plan.Loaded())
	return &replica{st.Plan, past, events.NewEmitter(js)}
}

// tell has the replica tell, until it is stopped.
func (r *replica) tell(t *testing.T) (stop func()) {
	t.Helper()
	return natstest.Run(t, report.New(r.Plan, report.Config{
		Bus: r.bus, Histories: r.past, Groups: func(string) []string { return []string{"g"} }, Ready: r.Loaded(), Log: slog.New(slog.DiscardHandler),
	}).Run)
}

// commit changes the plan.
func (r *replica) commit(t *testing.T, change func(*plan.Commit)) {
	t.Helper()
	err := r.Try(t.Context(), func(context.Context, bool) (*plan.Commit, error) {
		c := r.NewCommit("token:t")
		change(c)
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// holds makes a hold of an hour of an instance.
func (r *replica) holds(t *testing.T, ttl time.Duration) *schedule.HoldRecord {
	t.Helper()
	now := r.Now().UTC()
	h := &schedule.HoldRecord{Hold: schedule.Hold{
		ID: r.NewID(schedule.OfHold), WorkflowID: "w", Start: now, End: now.Add(time.Hour), ExpiresAt: now.Add(ttl), State: schedule.Held,
		Bookings: []schedule.Taken{{
			ID: r.NewID(schedule.OfBooking), ItemID: "n", Place: schedule.Place{PeerID: "peer a", ResourceID: "r", InstanceID: "i"},
			Start: now, End: now.Add(time.Hour), Usage: json.RawMessage(`{"ram_gb":1}`),
		}},
	}}
	r.commit(t, func(c *plan.Commit) {
		c.Take(h.Takes()[0], 0)
		c.Hold(h, 0)
	})
	return h
}

// stands is the revision of what an owner takes, and that of his hold.
func (r *replica) stands(t *testing.T, h *schedule.HoldRecord) (booking, hold uint64) {
	t.Helper()
	place := h.Bookings[0].Place
	standing, err := r.Standing(t.Context(), h.ID, []schedule.Place{place})
	if err != nil {
		t.Fatal(err)
	}
	_, hold, err = r.Hold(t.Context(), h.ID)
	if err != nil {
		t.Fatal(err)
	}
	return standing[place].Revision, hold
}

// past is the history of a thing, once it has so many items.
func (r *replica) awaitPast(t *testing.T, kind history.Kind, of string, n int) history.Log {
	t.Helper()
	var log history.Log
	natstest.Eventually(t, "the history is complete", func() bool {
		var err error
		log, err = r.past.Read(t.Context(), kind, of, 0, 1000)
		return err == nil && len(log) >= n
	})
	for i, it := range log {
		if it.Seq != i+1 {
			t.Fatalf("item %d of %s is number %d: %+v", i, of, it.Seq, log)
		}
	}
	return log
}

// heard is what was said on the bus.
type heard struct {
	mu   sync.Mutex
	list []said
}

type said struct {
	subject, datatype string
	groups            []string
	payload           string
}

func listen(t *testing.T, s *natstest.Server) *heard {
	t.Helper()
	h, nc := &heard{}, s.Connect(t)
	for _, subject := range []string{events.CreateResource, events.RemoveResource} {
		_, err := nc.Subscribe(subject, func(m *nats.Msg) {
			e, err := events.DecodeEnvelope(m.Data)
			if err != nil || e.FromApp != events.FromScheduler {
				t.Errorf("on %s: %+v, %v", m.Subject, e, err)
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			h.list = append(h.list, said{m.Subject, e.Datatype, e.Groups, string(e.Payload)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *heard) all() []said {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.list)
}

// await waits until so many things were said.
func (h *heard) await(t *testing.T, n int) []said {
	t.Helper()
	natstest.Eventually(t, "it is said", func() bool { return len(h.all()) >= n })
	return h.all()
}
