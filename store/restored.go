package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/kv"
)

// anotherStream is no stream's beginning.
var anotherStream = time.Unix(0, 0).UTC()

// Restored is called once when the buckets were restored from a copy, before a replica starts. Nodes have gone on
// since: what they say they have had of the stream of orders is of a later one that had the same numbers. So each
// record has it that the stream was made anew, and orders come to the node again, where they have no second effect.
// It fails with kv.ErrUnavailable, and when somebody else writes.
func Restored(ctx context.Context, js jetstream.JetStream, log *slog.Logger) error {
	stream, err := kv.Bind(ctx, js, kv.Layout{Bucket: NodesBucket}, log)
	if err != nil {
		return err
	}
	space := kv.BucketSpace(NodesBucket)
	nodes := newNodes(stream.Keys(space))
	for r, err := range kv.Read(ctx, js, space, decodeNode) {
		if err != nil {
			return err
		}
		if r.Err != nil || r.Value.InStream.IsZero() || r.Value.InStream.Equal(anotherStream) {
			continue
		}
		_, err := nodes.Change(ctx, r.Value.NodeID, func(n *NodeRecord) (*NodeRecord, error) {
			n.InStream = anotherStream
			return n, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
