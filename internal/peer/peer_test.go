package peer_test

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer"
	"oc-scheduler/store/planner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 20 * time.Second

// site runs a peer and listens in on the bus.
type site struct {
	nc  *nats.Conn
	bus chan *nats.Msg
}

func start(t *testing.T, every time.Duration) *site {
	t.Helper()
	server := natstest.Start(t)
	s := &site{nc: server.Connect(t), bus: make(chan *nats.Msg, 256)}
	if _, err := s.nc.ChanSubscribe(events.Propagation, s.bus); err != nil {
		t.Fatal(err)
	}
	p, err := peer.New(server.Connect(t), peer.Config{
		PeerID: "peer-a", Every: every,
		Capacities: peer.Capacities{"gpu": {"i0": {"gpus": 8, "ram_gb": 64}}},
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return s
}

func (s *site) say(t *testing.T, from, action, peerID string) {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"action": action, "payload": map[string]string{"peer_id": peerID}})
	if err != nil {
		t.Fatal(err)
	}
	message, err := events.Envelope{FromApp: from, Payload: payload}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.nc.Publish(events.Propagation, message); err != nil {
		t.Fatal(err)
	}
}

// planner waits for the next planner on the bus; anything else on it is not from the peer.
func (s *site) planner(t *testing.T) *planner.Planner {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case <-deadline:
			t.Fatal("no planner came")
		case m := <-s.bus:
			envelope, err := events.DecodeEnvelope(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			if envelope.FromApp != "oc-discovery" {
				continue
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
	}
}

func TestAnswersItsOwnRequestsOnly(t *testing.T) {
	t.Parallel()
	s := start(t, time.Hour)
	s.say(t, "oc-scheduler", "PB_PLANNER", "peer-b")
	s.say(t, "somebody", "PB_PLANNER", "peer-a")
	s.say(t, "oc-scheduler", "PB_CLOSE_PLANNER", "peer-a")
	if err := s.nc.Publish(events.Propagation, []byte("rubbish")); err != nil {
		t.Fatal(err)
	}
	<-s.bus // what was said
	<-s.bus
	<-s.bus
	<-s.bus
	s.say(t, "oc-scheduler", "pb_planner", "peer-a")
	asked := time.Now()
	p := s.planner(t)
	if resources, slots := p.Counts(); p.PeerID() != "peer-a" || resources != 1 || slots == 0 {
		t.Errorf("planner of %s with %d resources, %d slots", p.PeerID(), resources, slots)
	}
	if p.GeneratedAt().Before(asked) {
		t.Errorf("generated at %v, asked for at %v: an earlier request was answered", p.GeneratedAt(), asked)
	}
}

func TestPublishesUntilClosed(t *testing.T) {
	t.Parallel()
	s := start(t, 10*time.Millisecond)
	s.say(t, "oc-scheduler", "PB_PLANNER", "peer-a")
	digests := map[[16]byte]bool{}
	for len(digests) < 3 {
		digests[s.planner(t).Digest()] = true
	}
	s.say(t, "oc-scheduler", "PB_CLOSE_PLANNER", "peer-a")
	s.silence(t)
	s.say(t, "oc-scheduler", "PB_PLANNER", "peer-a")
	s.planner(t)
}

// silence waits until nothing comes for many periods; a peer that goes on never lets that happen.
func (s *site) silence(t *testing.T) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case <-deadline:
			t.Fatal("the peer goes on publishing")
		case <-s.bus:
		case <-time.After(500 * time.Millisecond):
			return
		}
	}
}
