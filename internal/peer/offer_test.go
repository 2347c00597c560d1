package peer_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer"
	"oc-scheduler/store"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

func (w *world) order(t *testing.T, order any) {
	t.Helper()
	if err := w.orders.Send(t.Context(), "n1", order); err != nil {
		t.Fatal(err)
	}
}

func (w *world) book(t *testing.T, bookingID string, gpus float64) {
	t.Helper()
	w.order(t, nclprotocol.BookSlots{BookingID: bookingID, Slots: []nclprotocol.Slot{{
		ResourceID: "gpu", InstanceID: "i0", Start: time.Now(), End: time.Now().Add(time.Hour), Usage: nclprotocol.Amounts{"gpus": gpus},
	}}})
}

// offer is what the scheduler knows that the node offers.
func (w *world) offer() (o store.OfferRecord, known bool) {
	entry, known := w.store.Offers.View().Get("n1")
	return entry.Value, known
}

// booked waits until so many bookings are offered.
func (w *world) booked(t *testing.T, want int) {
	t.Helper()
	natstest.Eventually(t, fmt.Sprintf("%d bookings are offered", want), func() bool {
		o, known := w.offer()
		if !known {
			return false
		}
		_, _, slots := o.Counts()
		return slots == want
	})
}

func TestOffersWhatItHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := config(t.TempDir())
	stop := w.node(t, cfg)
	w.booked(t, 0)
	if o, _ := w.offer(); !o.Has(planner.Ref{ResourceID: "gpu", InstanceID: "i0"}) {
		t.Errorf("%v", o.Refs())
	}
	w.book(t, "b1", 3)
	w.booked(t, 1)
	w.book(t, "b2", 5)
	w.booked(t, 2)
	w.book(t, "b3", 1) // does not fit
	w.order(t, nclprotocol.ReleaseSlots{BookingID: "b1"})
	w.booked(t, 1)
	w.book(t, "b1", 1) // stays released
	w.book(t, "b4", 3)
	w.booked(t, 2)

	stop()
	w.order(t, nclprotocol.ReleaseSlots{BookingID: "b4"})
	w.node(t, cfg)
	w.booked(t, 1)
}

func TestTheOfferOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.node(t, config(t.TempDir()))
	w.booked(t, 0)
	w.server.Stop()
	w.server.Restart(t)
	natstest.Eventually(t, "an order can be sent", func() bool {
		return w.orders.Send(t.Context(), "n1", nclprotocol.ReleaseSlots{BookingID: "none"}) == nil
	})
	w.book(t, "b1", 3)
	w.booked(t, 1)
}

func TestABusySite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := config(t.TempDir())
	cfg.BusyEvery = 5 * time.Millisecond
	w.node(t, cfg)
	var came, went bool
	before := -1
	natstest.Eventually(t, "bookings come and go", func() bool {
		o, known := w.offer()
		if !known {
			return false
		}
		_, _, slots := o.Counts()
		if slots > 12 {
			t.Fatalf("%d bookings", slots)
		}
		came, went = came || before >= 0 && slots > before, went || slots < before
		before = slots
		return came && went
	})
}

// TestAHeartbeatOfItsOwn: the scheduler knows how soon the node counts as lost.
func TestAHeartbeatOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := config(t.TempDir())
	cfg.Heartbeat = peer.Heartbeat{Interval: time.Second, Misses: 3}
	w.node(t, cfg)
	entry, _ := w.store.Nodes.View().Get("n1")
	if silent := entry.Value.Liveness(); silent != 3*time.Second {
		t.Errorf("it may be silent for %v", silent)
	}
}

func TestASecondNodeOnTheSameDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := config(t.TempDir())
	w.node(t, cfg)
	clients := nclprotocol.Client{URL: w.server.URL(), NodeID: "n1"}
	if _, err := peer.New(t.Context(), cfg, clients, slog.New(slog.DiscardHandler)); !errors.Is(err, watcher.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
}
