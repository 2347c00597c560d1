package peer

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/streams/nclprotocol"
)

// actionFor is what a bus message asks of a peer: nothing ("") when it is for others.
func actionFor(peerID string, data []byte) string {
	envelope, err := events.DecodeEnvelope(data)
	if err != nil || envelope.FromApp != events.FromScheduler {
		return ""
	}
	asked, err := events.DecodePropagated(envelope.Payload)
	if err != nil {
		return ""
	}
	var who struct {
		PeerID string `json:"peer_id"`
	}
	if json.Unmarshal(asked.Payload, &who) != nil || who.PeerID != peerID {
		return ""
	}
	return strings.ToUpper(asked.Action)
}

// plannerMessage is a planner as the bus carries it.
func plannerMessage(planner []byte) ([]byte, error) {
	payload, err := events.Propagated{Action: events.ActionPlanner, Payload: planner}.Encode()
	if err != nil {
		return nil, err
	}
	return events.Envelope{FromApp: events.FromDiscovery, Payload: payload}.Encode()
}

// busWithin is how long a session with the scheduler waits for the bus: a node that is not heard there
// still runs what it is ordered to.
const busWithin = 5 * time.Second

// hearing connects to the scheduler once the node hears the bus again: as soon as it has introduced
// itself, whoever waits for its peer's planner asks for it there.
type hearing struct {
	nclprotocol.ClientFactory
	bus *nats.Conn
}

// CreateClient implements nclprotocol.ClientFactory.
func (h hearing) CreateClient(ctx context.Context) (*nats.Conn, error) {
	h.await(ctx)
	return h.ClientFactory.CreateClient(ctx)
}

// await returns when the server has the subscriptions of the bus, or when that takes too long.
func (h hearing) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, busWithin)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for !h.bus.IsConnected() || h.bus.FlushWithContext(ctx) != nil {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}
