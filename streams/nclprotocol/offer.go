package nclprotocol

import (
	"context"
	"encoding/json"
)

// OfferRequest tells what a node offers, in place of what it told before. It is repeated until it is
// answered; a later one of the same session takes its place.
type OfferRequest struct {
	// Sequence counts the offers of a session, from 1. One that is told again has the number that it had.
	Sequence uint64 `json:"sequence"`
	// Offer is {"capacities": …, "schedule": …}, each as in a planner: what the node has, and what is booked on it.
	Offer json.RawMessage `json:"offer,omitempty"`
	// Withheld is why there is none, when what the node has to offer fits into no message.
	Withheld string `json:"withheld,omitempty"`
}

// OfferResponse accepts or refuses an offer. After a refusal the offer before it stands, if there is one,
// and nobody needs to hear the refused one again.
type OfferResponse struct {
	Accepted          bool   `json:"accepted"`
	HandshakeRequired bool   `json:"handshake_required,omitempty"`
	Reason            string `json:"reason,omitempty"`
}

// OfferProvider tells what a node offers.
type OfferProvider interface {
	// GetOffer is the offer as it is now, in JSON; see OfferRequest. It may be called at any time.
	GetOffer(ctx context.Context) (json.RawMessage, error)
	// OfferChanged is closed when the offer changes after the call.
	OfferChanged() <-chan struct{}
}
