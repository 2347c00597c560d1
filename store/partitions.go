package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"oc-scheduler/store/kv"
)

// Partitions is the bucket of who handles the events of which nodes. A partition outlives its holders:
// it remembers how far its events were handled. So a lease is not the life of a key, but a value that
// its holder writes again and again; one that does not is followed by another replica.
type Partitions struct {
	keys *kv.Keys
	view *kv.View[Partition]
}

// Partition is a part of all nodes.
type Partition struct {
	Replica string `json:"replica"` // who holds it; empty: it was given back
	// Position is where in the stream of events the handling goes on: all of the partition's up to and
	// with it were handled. It is of the stream that was made at Stream.
	Position uint64    `json:"position"`
	Stream   time.Time `json:"stream,omitzero"`
}

func newPartitions(keys *kv.Keys) *Partitions {
	return &Partitions{keys, kv.NewView(keys, decodePartition)}
}

var decodePartition = kv.JSON[Partition](nil)

// View is this replica's copy of the partitions.
func (p *Partitions) View() *kv.View[Partition] { return p.view }

// Get reads a partition past the view; revision 0: there is none. It fails with kv.ErrUndecodable, beside
// the revision, or kv.ErrUnavailable.
func (p *Partitions) Get(ctx context.Context, partition string) (stands Partition, revision uint64, err error) {
	m, err := p.keys.Newest(ctx, kv.KeyOf(partition))
	if err != nil || !m.Live() {
		return Partition{}, m.Revision, err
	}
	stands, err = decodePartition("", m)
	return stands, m.Revision, err
}

// Write stores a partition if nobody has written it since the revision. lost says that somebody has. It
// fails with kv.ErrUnavailable.
func (p *Partitions) Write(ctx context.Context, partition string, revision uint64, next Partition) (now uint64, lost bool, err error) {
	data, err := json.Marshal(next)
	if err != nil {
		return 0, false, err
	}
	now, err = p.keys.Swap(ctx, kv.KeyOf(partition), revision, &kv.Write{Data: data})
	if errors.Is(err, kv.ErrConflict) {
		return 0, true, nil
	}
	return now, false, err
}
