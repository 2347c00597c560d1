package app_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
)

// bus is what another application of OpenCloud sees and says.
type bus struct {
	nc       *nats.Conn
	messages chan *nats.Msg
}

func onBus(t *testing.T, nc *nats.Conn) *bus {
	t.Helper()
	b := &bus{nc, make(chan *nats.Msg, 256)}
	if _, err := nc.ChanSubscribe(events.Propagation, b.messages); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return b
}

// expect waits until the scheduler says action for the peer; anything else it says before is a fault.
func (b *bus) expect(t *testing.T, action, peerID string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case <-deadline:
			t.Fatalf("no %s for %s", action, peerID)
		case m := <-b.messages:
			envelope, err := events.DecodeEnvelope(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			if envelope.FromApp != "oc-scheduler" {
				continue
			}
			said, err := events.DecodePropagated(envelope.Payload)
			if err != nil {
				t.Fatal(err)
			}
			if want := `{"peer_id":"` + peerID + `"}`; said.Action != action || string(said.Payload) != want {
				t.Fatalf("the scheduler said %s %s, want %s %s", said.Action, said.Payload, action, want)
			}
			return
		}
	}
}

func (b *bus) workflow(t *testing.T, doc string) {
	t.Helper()
	b.publish(t, events.CreateResource, events.Envelope{FromApp: "oc-workflow", Datatype: "WORKFLOW", Payload: []byte(doc)})
}

func (b *bus) planner(t *testing.T, doc string) {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"action": "PB_PLANNER", "payload": json.RawMessage(doc)})
	if err != nil {
		t.Fatal(err)
	}
	b.publish(t, events.Propagation, events.Envelope{FromApp: "oc-discovery", Payload: payload})
}

func (b *bus) publish(t *testing.T, subject string, e events.Envelope) {
	t.Helper()
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.nc.Publish(subject, data); err != nil {
		t.Fatal(err)
	}
}
