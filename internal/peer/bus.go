package peer

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"oc-scheduler/events"
)

// actionForMe is what a bus message asks of this peer: nothing ("") when it is for others.
func (p *Peer) actionForMe(data []byte) string {
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
	if json.Unmarshal(asked.Payload, &who) != nil || who.PeerID != p.cfg.PeerID {
		return ""
	}
	return strings.ToUpper(asked.Action)
}

// publish sends the planner. A failure passes with the outage that caused it; the next is soon due.
func (p *Peer) publish(ctx context.Context) {
	message, err := p.message()
	if err == nil {
		err = p.nc.Publish(events.Propagation, message)
	}
	if err != nil {
		p.log.WarnContext(ctx, "planner not published", "error", err)
		return
	}
	p.log.DebugContext(ctx, "planner published", "bookings", len(p.ledger.bookings))
}

func (p *Peer) message() ([]byte, error) {
	body, err := p.ledger.planner(p.cfg.PeerID, time.Now())
	if err != nil {
		return nil, err
	}
	payload, err := events.Propagated{Action: events.ActionPlanner, Payload: body}.Encode()
	if err != nil {
		return nil, err
	}
	return events.Envelope{FromApp: events.FromDiscovery, Payload: payload}.Encode()
}
