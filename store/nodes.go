package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"oc-scheduler/store/kv"
)

// Nodes is the bucket of compute nodes.
type Nodes struct {
	keys *kv.Keys
	view *kv.View[NodeRecord]
	gone *kv.Tombstones
}

func newNodes(keys *kv.Keys) *Nodes {
	view := kv.NewView(keys, decodeNode)
	return &Nodes{keys, view, kv.KeepRemovals(view)}
}

// decodeNode reads a record. JSON that is none, such as an acknowledgement of JetStream that somebody has
// led here, is broken too.
var decodeNode = kv.JSON(func(key kv.Key, r NodeRecord) error {
	if r.NodeID != key.ID() || !slices.Contains([]Membership{Pending, Approved, Rejected}, r.Membership) {
		return errors.New("no record of this node")
	}
	return nil
})

// View is this replica's copy of the nodes.
func (n *Nodes) View() *kv.View[NodeRecord] { return n.view }

// Get reads a node past the view. Of one whose record is broken it is what this replica remembers. It
// fails with kv.ErrNotFound, kv.ErrUndecodable, id.ErrInvalid or kv.ErrUnavailable.
func (n *Nodes) Get(ctx context.Context, nodeID string) (NodeRecord, error) {
	m, err := n.keys.Value(ctx, kv.KeyOf(nodeID))
	if err != nil {
		return NodeRecord{}, err
	}
	r, err := decodeNode(kv.KeyOf(nodeID), m)
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
// id.ErrInvalid, kv.ErrTooLarge and kv.ErrUnavailable.
func (n *Nodes) Change(ctx context.Context, nodeID string, decide func(*NodeRecord) (*NodeRecord, error)) (stands *NodeRecord, err error) {
	_, err = n.keys.Change(ctx, kv.KeyOf(nodeID), func(last kv.Message) (*kv.Write, error) {
		stands = nil
		if last.Live() {
			stands = n.read(nodeID, last)
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

func writeNode(r *NodeRecord) (*kv.Write, error) {
	data, err := json.Marshal(r)
	return &kv.Write{Data: data}, err
}

// Remove forgets a node. It fails with kv.ErrNotFound or kv.ErrUnavailable.
func (n *Nodes) Remove(ctx context.Context, nodeID string) error {
	found := false
	_, err := n.keys.Change(ctx, kv.KeyOf(nodeID), func(last kv.Message) (*kv.Write, error) {
		if !last.Live() {
			return nil, nil
		}
		found = true
		return kv.Remove(0), nil
	})
	if err == nil && !found {
		return kv.ErrNotFound
	}
	return err
}
