package peer

import (
	"encoding/json"
	"strings"

	"oc-scheduler/events"
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
