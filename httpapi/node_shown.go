package httpapi

import (
	"oc-scheduler/store"
	"oc-scheduler/store/access"
)

// node is a node as it is shown to somebody, without what is offered in full.
func (p *Parts) node(who *access.Subject, n store.NodeRecord) nodeShown {
	doc := nodeOf(n)
	if pulse, alive := p.Pulses.Get(n.NodeID); alive && n.State == store.NodeConnected && pulse.Value.Session == n.Session {
		doc.Free, doc.Queued = pulse.Value.Free, pulse.Value.Queued
		doc.LastSchedulerSequence = max(n.LastSchedulerSequence, pulse.Value.LastSchedulerSequence)
	}
	if !who.Everywhere() {
		doc.positionsShown = nil
	}
	doc.Offer = p.offer(n.NodeID)
	return doc
}

// nodeOf is what is stored of a node as it is shown.
func nodeOf(n store.NodeRecord) nodeShown {
	return nodeShown{
		NodeID: n.NodeID, Membership: n.Membership, State: n.State, Since: n.Since, Reason: n.Reason, PeerSince: n.PeerSince,
		connectionShown: connectionOf(n.Connection), positionsShown: positionsOf(n.Positions), rivalryShown: rivalryOf(n.Rivalry),
		TellsOffers: n.TellsOffers, OfferRefused: (*offerRefusalShown)(n.OfferRefused),
	}
}

func connectionOf(c store.Connection) connectionShown {
	return connectionShown{
		Info: c.Info, Session: c.Session, Generation: c.Generation, StartedAt: c.StartedAt, OpenedAt: c.OpenedAt, InfoSequence: c.InfoSequence,
		ProtocolVersion: c.ProtocolVersion, LivenessSeconds: c.LivenessSeconds, HandshakeRequired: c.HandshakeRequired,
	}
}

func positionsOf(p store.Positions) *positionsShown {
	shown := &positionsShown{
		Ledger: p.Ledger, LastNodeSequence: p.LastNodeSequence, NewestNodeSequence: p.NewestNodeSequence,
		OutPosition: p.OutPosition, LastSchedulerSequence: p.LastSchedulerSequence, InStream: p.InStream,
		LedgerFrom: p.LedgerFrom, Delivered: p.Delivered,
	}
	for _, l := range p.Former {
		shown.Former = append(shown.Former, formerLedgerShown(l))
	}
	return shown
}

func rivalryOf(r store.Rivalry) rivalryShown {
	shown := rivalryShown{EarlierStarts: r.EarlierStarts, Successor: (*programShown)(r.Successor)}
	if r.Refused != nil {
		shown.Refused = &refusalShown{programShown(r.Refused.Program), r.Refused.Reason, r.Refused.At}
	}
	return shown
}
