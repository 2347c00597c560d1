package events_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// TestHeardButNotStored: plain subscribers hear what no stream acknowledges, as in an election.
func TestHeardButNotStored(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	nc := s.Connect(t)
	peer, err := nc.SubscribeSync(events.Propagation)
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := events.NewEmitter(s.JetStream(t)).RequestPlanner(ctx, "p"); !errors.Is(err, events.ErrMaybeHeard) {
		t.Errorf("RequestPlanner = %v", err)
	}
	if _, err := peer.NextMsg(10 * time.Second); err != nil {
		t.Error("it was not heard either:", err)
	}
}

func TestEmitter(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	e := events.NewEmitter(js)
	if err := e.RequestPlanner(t.Context(), "early"); err == nil || errors.Is(err, events.ErrMaybeHeard) {
		t.Errorf("a message that nobody listens to: %v", err)
	}
	if _, err := events.OpenBus(t.Context(), js, 1); err != nil {
		t.Fatal(err)
	}
	nc := s.Connect(t)
	peer, err := nc.SubscribeSync(events.Propagation) // a plain subscriber, as peers are
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := e.RequestPlanner(t.Context(), `peer "é"`); err != nil {
		t.Fatal(err)
	}
	if err := e.ClosePlanner(t.Context(), "peer-b", ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][2]string{{"PB_PLANNER", `{"peer_id":"peer \"é\""}`}, {"PB_CLOSE_PLANNER", `{"peer_id":"peer-b"}`}} {
		m, err := peer.NextMsg(10 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		envelope, err := events.DecodeEnvelope(m.Data)
		if err != nil || envelope.FromApp != "oc-scheduler" || envelope.Datatype != "" {
			t.Errorf("%s: %+v, %v", m.Data, envelope, err)
		}
		p, err := events.DecodePropagated(envelope.Payload)
		if err != nil || p.Action != want[0] || string(p.Payload) != want[1] {
			t.Errorf("%+v, %v, want %v", p, err, want)
		}
	}
	stream, err := js.Stream(t.Context(), events.Stream)
	if err != nil || stream.CachedInfo().State.Msgs != 2 {
		t.Errorf("stored: %+v, %v", stream, err)
	}
}
