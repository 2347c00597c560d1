package store

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

// read is a record, or what stands in for one that is broken.
func (n *Nodes) read(nodeID string, m kv.Message) *NodeRecord {
	r, err := decodeNode(kv.KeyOf(nodeID), m)
	if err == nil {
		return &r
	}
	if before, ok := n.recall(nodeID); ok {
		return &before
	}
	return &NodeRecord{NodeID: nodeID, Standing: Standing{Membership: Pending, State: NodeNew, Since: time.Now().UTC(), Reason: "its record was broken"}}
}

// recall is the last record of a node that this replica has seen.
func (n *Nodes) recall(nodeID string) (NodeRecord, bool) {
	if entry, ok := n.view.Get(nodeID); ok {
		return entry.Value, true
	}
	return n.view.Remembered(kv.KeyOf(nodeID))
}

// Mend writes anew the records that are broken and that this replica remembers, and says of which nodes.
// The others are left for an operator to see, until their nodes come. It fails with kv.ErrUnavailable.
func (n *Nodes) Mend(ctx context.Context) (mended []string, err error) {
	for key := range n.view.Broken() {
		nodeID, err := id.FromKey(key)
		if err != nil {
			continue
		}
		done, err := n.mend(ctx, nodeID)
		if err != nil {
			return mended, err
		}
		if done {
			mended = append(mended, nodeID)
		}
	}
	return mended, nil
}

func (n *Nodes) mend(ctx context.Context, nodeID string) (done bool, err error) {
	before, ok := n.view.Remembered(kv.KeyOf(nodeID))
	if !ok {
		return false, nil
	}
	_, err = n.keys.Change(ctx, kv.KeyOf(nodeID), func(last kv.Message) (*kv.Write, error) {
		done = false
		if !last.Live() {
			return nil, nil
		}
		if _, err := decodeNode(kv.KeyOf(nodeID), last); !errors.Is(err, kv.ErrUndecodable) {
			return nil, err
		}
		done = true
		return writeNode(&before)
	})
	return done && err == nil, err
}
