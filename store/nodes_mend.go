package store

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/store/id"
)

// read is a record, or what stands in for one that is broken.
func (n *Nodes) read(nodeID string, data []byte) *NodeRecord {
	r, err := decodeNode(nodeID, data)
	if err == nil {
		return &r
	}
	if before, ok := n.recall(nodeID); ok {
		return &before
	}
	return &NodeRecord{NodeID: nodeID, Membership: Pending, State: NodeNew, Since: time.Now().UTC(), Reason: "its record was broken"}
}

// recall is the last record of a node that this replica has seen.
func (n *Nodes) recall(nodeID string) (NodeRecord, bool) {
	if entry, ok := n.view.Get(nodeID); ok {
		return entry.Value, true
	}
	return n.view.remembered(nodeID)
}

// Mend writes anew the records that are broken and that this replica remembers, and says of which nodes.
// The others are left for an operator to see, until their nodes come. It fails with ErrUnavailable.
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
	before, ok := n.view.remembered(nodeID)
	if !ok {
		return false, nil
	}
	_, err = n.bucket.change(ctx, nodeID, func(last message) (*write, error) {
		done = false
		if !last.live() {
			return nil, nil
		}
		if _, err := decodeNode(nodeID, last.Data); !errors.Is(err, ErrUndecodable) {
			return nil, err
		}
		done = true
		return writeNode(&before)
	})
	return done && err == nil, err
}
