package httpapi

import (
	"encoding/json"
	"time"

	"oc-scheduler/store"
)

// nodeShown is a node as openapi.json has it: what is stored of it, with what its last heartbeat and its offer said.
type nodeShown struct {
	NodeID     string           `json:"node_id"`
	Membership store.Membership `json:"membership"`
	State      store.NodeState  `json:"state"`
	Since      time.Time        `json:"since"`
	Reason     string           `json:"reason,omitempty"`
	PeerSince  time.Time        `json:"peer_since,omitzero"`
	connectionShown
	*positionsShown                    // for those who see all groups: they count what others do
	TellsOffers     bool               `json:"tells_offers,omitempty"`
	OfferRefused    *offerRefusalShown `json:"offer_refused,omitempty"`
	rivalryShown
	Free   map[string]float64 `json:"free,omitempty"`
	Queued map[string]float64 `json:"queued,omitempty"`
	Offer  *offerShown        `json:"offer,omitempty"`
}

type connectionShown struct {
	Info              json.RawMessage `json:"info,omitempty"`
	Session           string          `json:"session,omitempty"`
	Generation        uint64          `json:"generation"`
	StartedAt         time.Time       `json:"started_at,omitzero"`
	OpenedAt          time.Time       `json:"opened_at,omitzero"`
	InfoSequence      uint64          `json:"info_sequence"`
	ProtocolVersion   int             `json:"protocol_version"`
	LivenessSeconds   float64         `json:"liveness_s"`
	HandshakeRequired string          `json:"handshake_required,omitempty"`
}

type positionsShown struct {
	Ledger                string              `json:"ledger,omitempty"`
	LastNodeSequence      uint64              `json:"last_node_sequence"`
	NewestNodeSequence    uint64              `json:"newest_node_sequence,omitempty"`
	Former                []formerLedgerShown `json:"former_ledgers,omitempty"`
	OutPosition           uint64              `json:"out_position"`
	LastSchedulerSequence uint64              `json:"last_scheduler_sequence"`
	InStream              time.Time           `json:"in_stream,omitzero"`
	LedgerFrom            uint64              `json:"ledger_from,omitempty"`
	Delivered             uint64              `json:"delivered,omitempty"`
}

type formerLedgerShown struct {
	Ledger string `json:"ledger"`
	Until  uint64 `json:"until"`
}

type offerRefusalShown struct {
	Sequence uint64    `json:"sequence"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

type rivalryShown struct {
	EarlierStarts []time.Time   `json:"earlier_starts,omitempty"`
	Refused       *refusalShown `json:"refused,omitempty"`
	Successor     *programShown `json:"successor,omitempty"`
}

type programShown struct {
	Ledger    string    `json:"ledger"`
	StartedAt time.Time `json:"started_at"`
}

type refusalShown struct {
	programShown
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}
