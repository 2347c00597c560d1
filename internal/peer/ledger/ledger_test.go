package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/store/offer"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var began = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)

func at(hours float64) time.Time { return began.Add(time.Duration(hours * float64(time.Hour))) }

var capacities = ledger.Capacities{
	"gpu":  {"i0": {"gpus": 8 * planner.Unit, "ram_gb": 64 * planner.Unit}, "i1": {"gpus": 4 * planner.Unit}},
	"disk": {"s0": {"gb": 100 * planner.Unit}},
}

func slot(resource, instance string, start, end float64, usage nclprotocol.Amounts) nclprotocol.Slot {
	return nclprotocol.Slot{ResourceID: resource, InstanceID: instance, Start: at(start), End: at(end), Usage: usage}
}

func open(t *testing.T, store watcher.EventStore, clock clockwork.Clock) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), store, capacities, clock)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func fresh(t *testing.T) (*ledger.Ledger, *watcher.MemoryStore, *clockwork.FakeClock) {
	t.Helper()
	store, clock := watcher.NewMemoryStore(), clockwork.NewFakeClockAt(began)
	return open(t, store, clock), store, clock
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// events are how many the store has.
func events(t *testing.T, store watcher.EventStore) uint64 {
	t.Helper()
	n, err := store.GetLatestEventNum(t.Context())
	must(t, err)
	return n
}

func book(t *testing.T, l *ledger.Ledger, bookingID string, slots ...nclprotocol.Slot) nclprotocol.BookingChanged {
	t.Helper()
	must(t, l.Book(t.Context(), nclprotocol.BookSlots{BookingID: bookingID, Slots: slots}))
	b, known := l.Booking(bookingID)
	if !known {
		t.Fatalf("booking %s is not known", bookingID)
	}
	return b
}

func release(l *ledger.Ledger, bookingID string, revision uint64) error {
	return l.Release(context.Background(), nclprotocol.ReleaseSlots{BookingID: bookingID, Revision: revision, Reason: "done"})
}

func TestBookings(t *testing.T) {
	t.Parallel()
	l, store, clock := fresh(t)
	changed := l.OfferChanged()
	first := book(t, l, "b1", slot("gpu", "i0", 1, 3, nclprotocol.Amounts{"gpus": 5}), slot("disk", "s0", 1, 3, nclprotocol.Amounts{"gb": 60}))
	if first.State != nclprotocol.BookingBooked || len(first.Slots) != 2 || !first.At.Equal(began) {
		t.Fatalf("%+v", first)
	}
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	for name, tc := range map[string]struct {
		slots []nclprotocol.Slot
		want  string // the reason; empty: booked
	}{
		"none":                 {nil, "a booking has 1 to 10000 slots, not 0"},
		"touches":              {[]nclprotocol.Slot{slot("gpu", "i0", 3, 4, nclprotocol.Amounts{"gpus": 8})}, ""},
		"fits beside":          {[]nclprotocol.Slot{slot("gpu", "i0", 2, 3, nclprotocol.Amounts{"gpus": 3})}, ""},
		"does not":             {[]nclprotocol.Slot{slot("gpu", "i0", 0, 1.5, nclprotocol.Amounts{"gpus": 3.0001})}, "slot 0: not enough gpus is free"},
		"one of two does not":  {[]nclprotocol.Slot{slot("gpu", "i1", 1, 2, nil), slot("disk", "s0", 2, 3, nclprotocol.Amounts{"gb": 41})}, "slot 1: not enough gb is free"},
		"against itself":       {[]nclprotocol.Slot{slot("gpu", "i1", 8, 9, nclprotocol.Amounts{"gpus": 3}), slot("gpu", "i1", 8.5, 10, nclprotocol.Amounts{"gpus": 2})}, "slot 0: not enough gpus is free"},
		"whole, taken in part": {[]nclprotocol.Slot{slot("gpu", "i0", 2.5, 5, nil)}, "slot 0: the whole instance is not free"},
		"whole, free":          {[]nclprotocol.Slot{slot("gpu", "i0", 5, 6, nil)}, ""},
		"above capacity":       {[]nclprotocol.Slot{slot("gpu", "i1", 20, 21, nclprotocol.Amounts{"gpus": 4.5})}, "slot 0: 4.5 of gpus is more than there is, 4"},
		"unknown dimension":    {[]nclprotocol.Slot{slot("gpu", "i1", 20, 21, nclprotocol.Amounts{"tpus": 1})}, "slot 0: 1 of tpus is more than there is, 0"},
		"unknown instance":     {[]nclprotocol.Slot{slot("gpu", "i9", 20, 21, nil)}, `slot 0: there is no instance "i9" of resource "gpu"`},
		"negative":             {[]nclprotocol.Slot{slot("gpu", "i1", 20, 21, nclprotocol.Amounts{"gpus": -1})}, `slot 0: usage of "gpus": invalid amount: negative`},
		"past":                 {[]nclprotocol.Slot{slot("gpu", "i1", -2, -1, nil)}, "slot 0: it is in the past"},
		"backwards":            {[]nclprotocol.Slot{slot("gpu", "i1", 2, 1, nil)}, "slot 0: it ends before it starts"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := ledger.Open(t.Context(), copyOf(t, store), capacities, clock) // as it is after the first booking
			must(t, err)
			b := book(t, l, "b2", tc.slots...)
			if b.Reason != tc.want || (b.State == nclprotocol.BookingBooked) != (tc.want == "") {
				t.Errorf("%s, %q; want %q", b.State, b.Reason, tc.want)
			}
		})
	}
}

// copyOf is a store with the same events.
func copyOf(t *testing.T, store watcher.EventStore) watcher.EventStore {
	t.Helper()
	c := watcher.NewMemoryStore()
	list, err := store.GetEvents(t.Context(), watcher.GetEventsRequest{})
	must(t, err)
	for _, e := range list {
		_, err := c.StoreEvent(t.Context(), watcher.StoreEventRequest{Operation: e.Operation, ObjectType: e.ObjectType, Object: e.Object})
		must(t, err)
	}
	return c
}

func TestOrdersThatComeTwice(t *testing.T) {
	t.Parallel()
	l, store, _ := fresh(t)
	ctx := t.Context()
	run := nclprotocol.RunExecution{ExecutionID: "x", Command: []string{"sleep", "1"}}
	for range 2 {
		book(t, l, "b", slot("gpu", "i0", 1, 2, nil))
		book(t, l, "none", slot("gpu", "i0", 1, 2, nil))
		if _, err := l.Accept(ctx, run); err != nil {
			t.Fatal(err)
		}
		must(t, l.Reject(ctx, nclprotocol.RunExecution{ExecutionID: "bad"}, "why"))
		must(t, release(l, "unknown", 0))
		if _, err := l.Cancel(ctx, "never", "why"); err != nil {
			t.Fatal(err)
		}
	}
	if n := events(t, store); n != 6 {
		t.Errorf("%d events, want 6", n)
	}
	if b := book(t, l, "unknown", slot("disk", "s0", 1, 2, nil)); b.State != nclprotocol.BookingReleased {
		t.Errorf("a booking released before it came is %s", b.State)
	}
	accepted, err := l.Accept(ctx, nclprotocol.RunExecution{ExecutionID: "never"})
	if x, _ := l.Execution("never"); accepted || err != nil || x.State != nclprotocol.ExecutionCancelled {
		t.Errorf("an execution cancelled before it came: accepted %v, %v, %s", accepted, err, x.State)
	}
	must(t, release(l, "b", 0))
	must(t, release(l, "none", 0))
	if b, _ := l.Booking("none"); b.State != nclprotocol.BookingRefused {
		t.Errorf("a refused booking is %s", b.State)
	}
	if b := book(t, l, "b", slot("gpu", "i0", 1, 2, nil)); b.State != nclprotocol.BookingReleased || len(l.Bookings()) != 0 {
		t.Errorf("a released booking is %s", b.State)
	}
}

func TestExecutionsGoForward(t *testing.T) {
	t.Parallel()
	l, _, clock := fresh(t)
	ctx := t.Context()
	run := nclprotocol.RunExecution{ExecutionID: "x", BookingID: "b", WorkflowID: "w", Command: []string{"a"}}
	if accepted, err := l.Accept(ctx, run); !accepted || err != nil {
		t.Fatal(accepted, err)
	}
	clock.Advance(time.Second)
	if running, err := l.Cancel(ctx, "x", "early"); running || err != nil {
		t.Fatal(running, err)
	}
	for _, s := range []nclprotocol.ExecutionState{nclprotocol.ExecutionStarting, nclprotocol.ExecutionCompleted} {
		if changed, err := l.Change(ctx, "x", ledger.Outcome{State: s}); changed || err != nil {
			t.Errorf("to %s: changed %v, %v", s, changed, err)
		}
	}
	x, known := l.Execution("x")
	want := nclprotocol.ExecutionChanged{
		ExecutionID: "x", BookingID: "b", WorkflowID: "w", State: nclprotocol.ExecutionCancelled,
		At: began.Add(time.Second), Reason: "early",
	}
	if !known || x.ExecutionChanged != want || x.Order != nil {
		t.Errorf("%+v", x)
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	clock := clockwork.NewFakeClockAt(began)
	store, err := watcher.OpenBolt(path)
	must(t, err)
	l := open(t, store, clock)
	ctx := t.Context()
	for i := range 12 {
		if _, err := l.Accept(ctx, nclprotocol.RunExecution{ExecutionID: fmt.Sprint("x", i), Command: []string{"c"}}); err != nil {
			t.Fatal(err)
		}
	}
	for id, s := range map[string]nclprotocol.ExecutionState{
		"x0": nclprotocol.ExecutionCompleted, "x1": nclprotocol.ExecutionStarting, "x2": nclprotocol.ExecutionRunning,
	} {
		if _, err := l.Change(ctx, id, ledger.Outcome{State: s}); err != nil {
			t.Fatal(err)
		}
	}
	must(t, store.Close(ctx))

	store, err = watcher.OpenBolt(path)
	must(t, err)
	defer func() { must(t, store.Close(ctx)) }()
	l = open(t, store, clock)
	waiting, err := l.Restarted(ctx)
	must(t, err)
	if len(waiting) != 9 || waiting[0].ExecutionID != "x3" || waiting[8].ExecutionID != "x11" || waiting[0].Command[0] != "c" {
		t.Errorf("waiting: %+v", waiting)
	}
	for id, s := range map[string]nclprotocol.ExecutionState{
		"x0": nclprotocol.ExecutionCompleted, "x1": nclprotocol.ExecutionFailed, "x2": nclprotocol.ExecutionFailed, "x3": nclprotocol.ExecutionQueued,
	} {
		if x, _ := l.Execution(id); x.State != s {
			t.Errorf("%s is %s, want %s", id, x.State, s)
		}
	}
}

// moody stores, and says that it did not.
type moody struct {
	watcher.EventStore
	lies bool
}

func (m *moody) StoreEvent(ctx context.Context, r watcher.StoreEventRequest) (watcher.Event, error) {
	e, err := m.EventStore.StoreEvent(ctx, r)
	if m.lies {
		err = errors.New("disk trouble")
	}
	return e, err
}

func TestAWriteOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	store := &moody{EventStore: watcher.NewMemoryStore()}
	l := open(t, store, clockwork.NewFakeClockAt(began))
	store.lies = true
	order := nclprotocol.BookSlots{BookingID: "b", Slots: []nclprotocol.Slot{slot("gpu", "i0", 1, 2, nil)}}
	if err := l.Book(t.Context(), order); err == nil {
		t.Fatal("no error")
	}
	store.lies = false
	must(t, l.Book(t.Context(), order))
	if n := events(t, store); n != 1 || len(l.Bookings()) != 1 {
		t.Errorf("%d events, bookings %v", n, l.Bookings())
	}
}

func TestOffer(t *testing.T) {
	t.Parallel()
	l, _, clock := fresh(t)
	book(t, l, "b1", slot("gpu", "i0", 0, 1, nclprotocol.Amounts{"gpus": 2.5}))
	book(t, l, "b2", slot("gpu", "i1", 0, 2, nil))
	free, err := l.Free()
	if err != nil || free["gpus"] != 5.5 || free["ram_gb"] != 64 || free["gb"] != 100 {
		t.Errorf("free: %v, %v", free, err)
	}
	clock.Advance(time.Hour)
	text, err := l.GetOffer(t.Context())
	must(t, err)
	var got map[string]any
	must(t, json.Unmarshal(text, &got))
	want := `{"capacities":{"disk":{"s0":{"gb":100}},"gpu":{"i0":{"gpus":8,"ram_gb":64},"i1":{"gpus":4}}},` +
		`"schedule":{"gpu":[{"booking_id":"b2","end":"2026-12-01T10:00:00Z","instance_id":"i1","start":"2026-12-01T08:00:00Z"}]}}`
	if sorted, err := json.Marshal(got); err != nil || string(sorted) != want {
		t.Errorf("%s", sorted)
	}
	if _, err := offer.Decode(text); err != nil {
		t.Error(err)
	}
	changed := l.OfferChanged()
	select {
	case <-changed:
		t.Error("a change before there was one")
	default:
	}
	book(t, l, "b3", slot("gpu", "i0", 1, 2, nil))
	<-changed
}
