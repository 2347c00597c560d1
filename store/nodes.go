package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/id"
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
	NodeID     string          `json:"node_id"`
	Membership Membership      `json:"membership"`
	State      NodeState       `json:"state"`
	Since      time.Time       `json:"since"`             // of the state
	Reason     string          `json:"reason,omitempty"`  // of the state
	Info       json.RawMessage `json:"info,omitempty"`    // what it told of itself
	Session    string          `json:"session,omitempty"` // the last one that was accepted
	Generation uint64          `json:"generation"`        // how many were
	StartedAt  time.Time       `json:"started_at,omitzero"`
	// OpenedAt is when it asked for the session, by its own clock.
	OpenedAt time.Time `json:"opened_at,omitzero"`
	// PeerSince is since when it has said that it is of its peer.
	PeerSince time.Time `json:"peer_since,omitzero"`
	// InfoSequence is the message of the session that Info came with.
	InfoSequence uint64 `json:"info_sequence"`
	// ProtocolVersion is that of its messages.
	ProtocolVersion int `json:"protocol_version"`
	// LivenessSeconds without a heartbeat, and it is lost.
	LivenessSeconds float64 `json:"liveness_s"`
	// Ledger numbers its events; LastNodeSequence is the last that was handled, as of its last handshake
	// or as of the last change of this record.
	Ledger           string `json:"ledger,omitempty"`
	LastNodeSequence uint64 `json:"last_node_sequence"`
	// Former are the ledgers before, the last of some: what they have sent may still have to be handled.
	Former []FormerLedger `json:"former_ledgers,omitempty"`
	// OutPosition is where the stream of events ended when the session began.
	OutPosition uint64 `json:"out_position"`
	// LastSchedulerSequence is the last message to it that it has acknowledged, in the stream that was
	// made at InStream.
	LastSchedulerSequence uint64    `json:"last_scheduler_sequence"`
	InStream              time.Time `json:"in_stream,omitzero"`
	// HandshakeRequired is why its present session has to end; empty: it need not.
	HandshakeRequired string `json:"handshake_required,omitempty"`
}

// FormerLedger is a ledger that another one has replaced.
type FormerLedger struct {
	Ledger string `json:"ledger"`
	Until  uint64 `json:"until"` // where the stream of events ended then
}

// Liveness is how long the node may be silent.
func (r *NodeRecord) Liveness() time.Duration {
	return roundUp(time.Duration(r.LivenessSeconds * float64(time.Second)))
}

// PeerID is the peer whose node it says to be; empty when it says none, or none that can be.
func (r *NodeRecord) PeerID() string {
	var info struct {
		PeerID string `json:"peer_id"`
	}
	if json.Unmarshal(r.Info, &info) != nil || id.Check(info.PeerID) != nil {
		return ""
	}
	return info.PeerID
}

// Nodes is the bucket of compute nodes.
type Nodes struct {
	bucket *bucket
	view   *View[NodeRecord]
	gone   *tombstones
}

func newNodes(o opener, b *bucket) *Nodes {
	decode := func(of string, m *nats.Msg) (NodeRecord, error) { return decodeNode(of, m.Data) }
	view := NewView(o.js, b.name, decode, o.viewOptions(b.name)...)
	return &Nodes{b, view, keepRemovals(o, b, view)}
}

// decodeNode reads a record. JSON that is none, such as an acknowledgement of JetStream that somebody has
// led here, is broken too.
func decodeNode(of string, data []byte) (r NodeRecord, err error) {
	if err := json.Unmarshal(data, &r); err != nil {
		return NodeRecord{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	if r.NodeID != of || !slices.Contains([]Membership{Pending, Approved, Rejected}, r.Membership) {
		return NodeRecord{}, fmt.Errorf("%w: no record of this node", ErrUndecodable)
	}
	return r, nil
}

// View is this replica's copy of the nodes.
func (n *Nodes) View() *View[NodeRecord] { return n.view }

// Get reads a node past the view. Of one whose record is broken it is what this replica remembers. It
// fails with ErrNotFound, ErrUndecodable, id.ErrInvalid or ErrUnavailable.
func (n *Nodes) Get(ctx context.Context, nodeID string) (NodeRecord, error) {
	m, err := n.bucket.value(ctx, nodeID)
	if err != nil {
		return NodeRecord{}, err
	}
	r, err := decodeNode(nodeID, m.Data)
	if err != nil {
		if before, ok := n.recall(nodeID); ok {
			return before, nil
		}
	}
	return r, err
}

// Change reads a node and writes what decide makes of it, again when another writer was faster. decide
// is given nil for a node that is not there; for one whose record is broken what this replica remembers,
// or else a record that is pending: a newcomer might be let in that was rejected. When it returns nil, all
// stays. The record that then stands, nil for none, is returned. It fails with the errors of decide, with
// id.ErrInvalid, ErrTooLarge and ErrUnavailable.
func (n *Nodes) Change(ctx context.Context, nodeID string, decide func(*NodeRecord) (*NodeRecord, error)) (stands *NodeRecord, err error) {
	_, err = n.bucket.change(ctx, nodeID, func(last message) (*write, error) {
		stands = nil
		if last.live() {
			stands = n.read(nodeID, last.Data)
		}
		next, err := decide(stands)
		if err != nil || next == nil {
			return nil, err
		}
		stands = next
		return writeNode(next)
	})
	return stands, err
}

func writeNode(r *NodeRecord) (*write, error) {
	data, err := json.Marshal(r)
	return &write{data: data}, err
}

// Remove forgets a node. It fails with ErrNotFound or ErrUnavailable.
func (n *Nodes) Remove(ctx context.Context, nodeID string) error {
	found := false
	_, err := n.bucket.change(ctx, nodeID, func(last message) (*write, error) {
		if !last.live() {
			return nil, nil
		}
		found = true
		return remove(0), nil
	})
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}
