package store

import (
	"encoding/json"
	"time"

	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

// Membership says whether a node may take part.
type Membership string

// Memberships.
const (
	Pending  Membership = "pending" // an operator has to say
	Approved Membership = "approved"
	Rejected Membership = "rejected"
)

// NodeState says whether a node is there.
type NodeState string

// States of nodes.
const (
	NodeNew       NodeState = "new" // it has asked to take part, and was never connected
	NodeConnected NodeState = "connected"
	NodeLost      NodeState = "lost" // it fell silent
	NodeGone      NodeState = "gone" // it said goodbye
)

// NodeRecord is what the fleet knows of one compute node.
type NodeRecord struct {
	NodeID string `json:"node_id"`
	Standing
	Connection
	Positions
	Offering
	Rivalry
}

// Standing is whether a node may take part, and whether it is there.
type Standing struct {
	Membership Membership `json:"membership"`
	State      NodeState  `json:"state"`
	Since      time.Time  `json:"since"`            // of the state
	Reason     string     `json:"reason,omitempty"` // of the state
	// PeerSince is since when it has said that it is of its peer.
	PeerSince time.Time `json:"peer_since,omitzero"`
}

// Connection is the last session of a node that was accepted.
type Connection struct {
	Info       json.RawMessage `json:"info,omitempty"` // what it told of itself
	Session    string          `json:"session,omitempty"`
	Generation uint64          `json:"generation"` // how many were accepted
	StartedAt  time.Time       `json:"started_at,omitzero"`
	// OpenedAt is when it asked for the session, by its own clock.
	OpenedAt time.Time `json:"opened_at,omitzero"`
	// InfoSequence is the message of the session that Info came with.
	InfoSequence uint64 `json:"info_sequence"`
	// ProtocolVersion is that of its messages.
	ProtocolVersion int `json:"protocol_version"`
	// LivenessSeconds without a heartbeat, and it is lost.
	LivenessSeconds float64 `json:"liveness_s"`
	// HandshakeRequired is why the session has to end; empty: it need not.
	HandshakeRequired string `json:"handshake_required,omitempty"`
}

// Positions are how far what a node sends, and what is sent to it, has come.
type Positions struct {
	// Ledger numbers its events; LastNodeSequence is the last that was handled, as of its last handshake
	// or as of the last change of this record.
	Ledger           string `json:"ledger,omitempty"`
	LastNodeSequence uint64 `json:"last_node_sequence"`
	// NewestNodeSequence is the event that Ledger ended with when the session began.
	NewestNodeSequence uint64 `json:"newest_node_sequence,omitempty"`
	// Former are the ledgers before, the last of some: what they have sent may still have to be handled.
	Former []FormerLedger `json:"former_ledgers,omitempty"`
	// OutPosition is where the stream of events ended when the session began.
	OutPosition uint64 `json:"out_position"`
	// LastSchedulerSequence is the last message to it that it has acknowledged, in the stream that was
	// made at InStream.
	LastSchedulerSequence uint64    `json:"last_scheduler_sequence"`
	InStream              time.Time `json:"in_stream,omitzero"`
	// LedgerFrom is the first message there that is for Ledger: what comes before may be in another one.
	LedgerFrom uint64 `json:"ledger_from,omitempty"`
	// Delivered is the last message there that may have come to it in the sessions that are over.
	Delivered uint64 `json:"delivered,omitempty"`
}

// Offering is what stands of a node's offers beside the offer itself.
type Offering struct {
	// TellsOffers says that it has ever told one.
	TellsOffers bool `json:"tells_offers,omitempty"`
	// OfferRefused is why what it told last in its session was refused; nil: it was not. What it told before stands.
	OfferRefused *OfferRefusal `json:"offer_refused,omitempty"`
}

// Rivalry is what is known of other programs that speak, or spoke, as the node.
type Rivalry struct {
	// EarlierStarts are those of the programs that had the ledger before the one of StartedAt, the last of some.
	EarlierStarts []time.Time `json:"earlier_starts,omitempty"`
	// Refused is the last program that was not let in as this node, since a session began; nil: none.
	Refused *Refusal `json:"refused,omitempty"`
	// Successor is whom an operator lets take over; nil: nobody.
	Successor *Program `json:"successor,omitempty"`
}

// Program is one that speaks as a node: a ledger, and when the program that has it was started.
type Program struct {
	Ledger    string    `json:"ledger"`
	StartedAt time.Time `json:"started_at"`
}

// Same says whether p and o are one program.
func (p Program) Same(o Program) bool { return p.Ledger == o.Ledger && p.StartedAt.Equal(o.StartedAt) }

// Refusal is a program that was not let in.
type Refusal struct {
	Program
	Reason string    `json:"reason"`
	At     time.Time `json:"at"` // about when it was refused last
}

// OfferRefusal is an offer that was not kept.
type OfferRefusal struct {
	Sequence uint64    `json:"sequence"` // in the session
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

// FormerLedger is a ledger that another one has replaced.
type FormerLedger struct {
	Ledger string `json:"ledger"`
	Until  uint64 `json:"until"` // where the stream of events ended then
}

// Program is the one that has the last session.
func (r *NodeRecord) Program() Program { return Program{r.Ledger, r.StartedAt} }

// Liveness is how long the node may be silent.
func (c *Connection) Liveness() time.Duration {
	return kv.WholeSeconds(time.Duration(c.LivenessSeconds * float64(time.Second)))
}

// PeerID is the peer whose node it says to be; empty when it says none, or none that can be.
func (c *Connection) PeerID() string {
	var info struct {
		PeerID string `json:"peer_id"`
	}
	if json.Unmarshal(c.Info, &info) != nil || id.Check(info.PeerID) != nil {
		return ""
	}
	return info.PeerID
}
