package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Node is a compute node.
type Node struct {
	NodeID                string             `json:"node_id"`
	Membership            string             `json:"membership"` // pending, approved, rejected
	State                 string             `json:"state"`      // new, connected, lost, gone
	Since                 time.Time          `json:"since"`
	Reason                string             `json:"reason,omitempty"`
	Info                  NodeInfo           `json:"info,omitzero"`
	Session               string             `json:"session,omitempty"`
	Generation            uint64             `json:"generation"`
	StartedAt             time.Time          `json:"started_at,omitzero"`
	PeerSince             time.Time          `json:"peer_since,omitzero"`
	InfoSequence          uint64             `json:"info_sequence,omitempty"`
	ProtocolVersion       int                `json:"protocol_version,omitempty"`
	LivenessS             float64            `json:"liveness_s,omitempty"`
	Ledger                string             `json:"ledger,omitempty"`
	LastNodeSequence      uint64             `json:"last_node_sequence,omitempty"`
	NewestNodeSequence    uint64             `json:"newest_node_sequence,omitempty"`
	FormerLedgers         []FormerLedger     `json:"former_ledgers,omitempty"`
	OutPosition           uint64             `json:"out_position,omitempty"`
	LastSchedulerSequence uint64             `json:"last_scheduler_sequence,omitempty"`
	InStream              time.Time          `json:"in_stream,omitzero"`
	LedgerFrom            uint64             `json:"ledger_from,omitempty"`
	Delivered             uint64             `json:"delivered,omitempty"`
	Offer                 *NodeOffer         `json:"offer,omitempty"`
	TellsOffers           bool               `json:"tells_offers,omitempty"`
	OfferRefused          *RefusedOffer      `json:"offer_refused,omitempty"`
	EarlierStarts         []time.Time        `json:"earlier_starts,omitempty"`
	Refused               *RefusedProgram    `json:"refused,omitempty"`
	Successor             *Successor         `json:"successor,omitempty"`
	HandshakeRequired     string             `json:"handshake_required,omitempty"`
	Free                  map[string]float64 `json:"free,omitempty"`
	Queued                map[string]float64 `json:"queued,omitempty"`
	OpenedAt              time.Time          `json:"opened_at,omitzero"`
}

// NodeInfo is what a node tells of itself.
type NodeInfo struct {
	NodeID    string                                   `json:"node_id"`
	PeerID    string                                   `json:"peer_id,omitempty"`
	Version   string                                   `json:"version,omitempty"` // of its program
	Labels    map[string]string                        `json:"labels,omitempty"`
	Resources map[string]map[string]map[string]float64 `json:"resources,omitempty"` // by resource and instance
}

// FormerLedger is one that a node had.
type FormerLedger struct {
	Ledger string `json:"ledger"`
	Until  uint64 `json:"until"`
}

// NodeOffer is what a node offers, and what is booked of it.
type NodeOffer struct {
	ToldAt     time.Time                     `json:"told_at"`
	Resources  int                           `json:"resources"`
	Instances  int                           `json:"instances"`
	Slots      int                           `json:"slots"`
	Warnings   []string                      `json:"warnings,omitempty"`
	Capacities map[string]map[string]Amounts `json:"capacities,omitempty"` // not in lists
	Schedule   json.RawMessage               `json:"schedule,omitempty"`
}

// RefusedOffer is an offer that does not count, and why.
type RefusedOffer struct {
	Sequence uint64    `json:"sequence"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

// RefusedProgram is another program under the id of a node, and why it was not let in.
type RefusedProgram struct {
	Ledger    string    `json:"ledger"`
	StartedAt time.Time `json:"started_at"`
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
}

// Successor is the program that may take over from a node.
type Successor struct {
	Ledger    string    `json:"ledger"`
	StartedAt time.Time `json:"started_at"`
}

// ListNodes lists the nodes by their ids.
func (c *Client) ListNodes(ctx context.Context, p Page, options ...CallOption) (*List[Node], error) {
	return got[List[Node]](ctx, c, request{method: http.MethodGet, path: []string{"nodes"}, query: p.in(nil)}, options)
}

// GetNode shows a node.
func (c *Client) GetNode(ctx context.Context, nodeID string, options ...CallOption) (*Node, error) {
	return got[Node](ctx, c, request{method: http.MethodGet, path: []string{"nodes", nodeID}}, options)
}

// ApproveNode lets a node take part, or the program take over that was refused last.
func (c *Client) ApproveNode(ctx context.Context, nodeID string, options ...CallOption) (*Node, error) {
	return got[Node](ctx, c, request{method: http.MethodPost, path: []string{"nodes", nodeID, "approve"}}, options)
}

// RejectNode shuts a node out.
func (c *Client) RejectNode(ctx context.Context, nodeID string, options ...CallOption) (*Node, error) {
	return got[Node](ctx, c, request{method: http.MethodPost, path: []string{"nodes", nodeID, "reject"}}, options)
}

// RemoveNode forgets a node, and ends what it had to run.
func (c *Client) RemoveNode(ctx context.Context, nodeID string, options ...CallOption) error {
	return c.done(ctx, request{method: http.MethodDelete, path: []string{"nodes", nodeID}}, options)
}
