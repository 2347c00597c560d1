package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
)

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
