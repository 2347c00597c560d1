package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Partitions is the bucket of who handles the events of which nodes. A partition outlives its holders:
// it remembers how far its events were handled. So a lease is not the life of a key, but a value that
// its holder writes again and again; one that does not is followed by another replica.
type Partitions struct {
	bucket *bucket
	view   *View[Partition]
}

// Partition is a part of all nodes.
type Partition struct {
	Replica string `json:"replica"` // who holds it; empty: it was given back
	// Position is where in the stream of events the handling goes on: all of the partition's up to and
	// with it were handled. It is of the stream that was made at Stream.
	Position uint64    `json:"position"`
	Stream   time.Time `json:"stream,omitzero"`
}

func newPartitions(o opener, b *bucket) *Partitions {
	decode := func(_ string, m *nats.Msg) (Partition, error) { return decodePartition(m.Data) }
	return &Partitions{b, NewView(o.js, b.name, decode, o.viewOptions(b.name)...)}
}

func decodePartition(data []byte) (p Partition, err error) {
	if err := json.Unmarshal(data, &p); err != nil {
		return Partition{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	return p, nil
}

// View is this replica's copy of the partitions.
func (p *Partitions) View() *View[Partition] { return p.view }

// Get reads a partition past the view; revision 0: there is none. It fails with ErrUndecodable, beside
// the revision, or ErrUnavailable.
func (p *Partitions) Get(ctx context.Context, partition string) (stands Partition, revision uint64, err error) {
	m, err := p.bucket.newest(ctx, partition)
	if err != nil || !m.live() {
		return Partition{}, m.Revision, err
	}
	stands, err = decodePartition(m.Data)
	return stands, m.Revision, err
}

// Write stores a partition if nobody has written it since the revision. lost says that somebody has. It
// fails with ErrUnavailable.
func (p *Partitions) Write(ctx context.Context, partition string, revision uint64, next Partition) (now uint64, lost bool, err error) {
	data, err := json.Marshal(next)
	if err != nil {
		return 0, false, err
	}
	now, err = p.bucket.swap(ctx, partition, revision, &write{data: data})
	if errors.Is(err, errConflict) {
		return 0, true, nil
	}
	return now, false, err
}
