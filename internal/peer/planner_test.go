package peer_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

const patience = 20 * time.Second

// bus listens in on the bus.
type bus struct {
	*world
	heard chan *nats.Msg
}

func (w *world) bus(t *testing.T) *bus {
	t.Helper()
	b := &bus{w, make(chan *nats.Msg, 256)}
	nc := w.server.Connect(t)
	if _, err := nc.ChanSubscribe(events.Propagation, b.heard); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bus) say(t *testing.T, from, action, peerID string) {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"action": action, "payload": map[string]string{"peer_id": peerID}})
	if err != nil {
		t.Fatal(err)
	}
	message, err := events.Envelope{FromApp: from, Payload: payload}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.nc.Publish(events.Propagation, message); err != nil {
		t.Fatal(err)
	}
}

// planner waits for the next planner on the bus; anything else on it is not from the peer.
func (b *bus) planner(t *testing.T) *planner.Planner {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case <-deadline:
			t.Fatal("no planner came")
		case m := <-b.heard:
			if p := plannerIn(t, m.Data); p != nil {
				return p
			}
		}
	}
}

func plannerIn(t *testing.T, message []byte) *planner.Planner {
	t.Helper()
	envelope, err := events.DecodeEnvelope(message)
	if err != nil || envelope.FromApp != "oc-discovery" {
		return nil
	}
	said, err := events.DecodePropagated(envelope.Payload)
	if err != nil || said.Action != "PB_PLANNER" {
		t.Fatalf("%q, %v", said.Action, err)
	}
	p, err := planner.Decode(said.Payload, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// slots waits for a planner with that many bookings.
func (b *bus) slots(t *testing.T, want int) {
	t.Helper()
	for {
		if _, slots := b.planner(t).Counts(); slots == want {
			return
		}
	}
}

func (b *bus) order(t *testing.T, order any) {
	t.Helper()
	if err := b.orders.Send(t.Context(), "n1", order); err != nil {
		t.Fatal(err)
	}
}

func (b *bus) book(t *testing.T, bookingID string, gpus float64) {
	t.Helper()
	b.order(t, nclprotocol.BookSlots{BookingID: bookingID, Slots: []nclprotocol.Slot{{
		ResourceID: "gpu", InstanceID: "i0", Start: time.Now(), End: time.Now().Add(time.Hour), Usage: nclprotocol.Amounts{"gpus": gpus},
	}}})
}

func TestAnswersItsOwnRequestsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.bus(t)
	w.node(t, config(t.TempDir()))
	b.say(t, "oc-scheduler", "PB_PLANNER", "peer-b")
	b.say(t, "somebody", "PB_PLANNER", "peer-a")
	b.say(t, "oc-scheduler", "PB_CLOSE_PLANNER", "peer-a")
	if err := w.nc.Publish(events.Propagation, []byte("rubbish")); err != nil {
		t.Fatal(err)
	}
	asked := time.Now()
	b.say(t, "oc-scheduler", "pb_planner", "peer-a")
	p := b.planner(t)
	if resources, slots := p.Counts(); p.PeerID() != "peer-a" || resources != 1 || slots != 0 {
		t.Errorf("planner of %s with %d resources, %d slots", p.PeerID(), resources, slots)
	}
	if p.GeneratedAt().Before(asked) {
		t.Errorf("generated at %v, asked for at %v: an earlier request was answered", p.GeneratedAt(), asked)
	}
}

func TestPublishesChangesUntilClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.bus(t)
	cfg := config(t.TempDir())
	stop := w.node(t, cfg)
	b.book(t, "b1", 3)
	b.say(t, "oc-scheduler", "PB_PLANNER", "peer-a")
	b.slots(t, 1)
	b.book(t, "b2", 5)
	b.slots(t, 2)
	b.book(t, "b3", 1) // does not fit
	b.order(t, nclprotocol.ReleaseSlots{BookingID: "b1"})
	b.slots(t, 1)
	b.book(t, "b1", 1) // stays released
	b.book(t, "b4", 3)
	b.slots(t, 2)

	stop()
	b.order(t, nclprotocol.ReleaseSlots{BookingID: "b4"})
	stop = w.node(t, cfg) // nobody asks again for a planner that he has
	b.slots(t, 1)
	stop()

	b.say(t, "oc-scheduler", "PB_CLOSE_PLANNER", "peer-a") // while it is away: it does not hear
	w.node(t, cfg)
	b.say(t, "oc-scheduler", "PB_CLOSE_PLANNER", "peer-a")
	b.silence(t, func() { b.book(t, "b5", 1) })
	b.say(t, "oc-scheduler", "PB_PLANNER", "peer-a")
	b.slots(t, 2)
}

// silence waits until nothing comes for a while, then changes something, and waits again.
func (b *bus) silence(t *testing.T, change func()) {
	t.Helper()
	for range 2 {
		for quiet := time.After(time.Second); quiet != nil; {
			select {
			case m := <-b.heard:
				if plannerIn(t, m.Data) != nil && change == nil {
					t.Fatal("a planner came that nobody wants")
				}
			case <-quiet:
				quiet = nil
			}
		}
		if change != nil {
			change()
			change = nil
		}
	}
}

func TestThePlannerOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.bus(t)
	w.node(t, config(t.TempDir()))
	b.say(t, "oc-scheduler", "PB_PLANNER", "peer-a")
	b.slots(t, 0)
	w.server.Stop()
	w.server.Restart(t)
	natstest.Eventually(t, "an order can be sent", func() bool {
		return b.orders.Send(t.Context(), "n1", nclprotocol.ReleaseSlots{BookingID: "none"}) == nil
	})
	b.book(t, "b1", 3)
	b.slots(t, 1)
}

func TestABusySite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.bus(t)
	cfg := config(t.TempDir())
	cfg.BusyEvery = 5 * time.Millisecond
	w.node(t, cfg)
	b.say(t, "oc-scheduler", "PB_PLANNER", "peer-a")
	var came, went bool
	for before := -1; !came || !went; {
		p := b.planner(t)
		_, slots := p.Counts()
		came, went = came || before >= 0 && slots > before, went || slots < before
		before = slots
		i0 := planner.NewIndex(p).Resource("gpu").Instances()[0]
		if use := i0.Timeline("gpus").MaxUse(0, time.Now().Add(24*time.Hour).UnixNano()); use > 8*planner.Unit || slots > 12 {
			t.Fatalf("%v gpus in %d bookings", use, slots)
		}
	}
}

func TestASecondNodeOnTheSameDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := config(t.TempDir())
	w.node(t, cfg)
	links := peer.Links{Compute: nclprotocol.Client{URL: w.server.URL(), NodeID: "n1"}, Bus: w.nc}
	if _, err := peer.New(t.Context(), cfg, links, slog.New(slog.DiscardHandler)); !errors.Is(err, watcher.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
}
