package nclprotocol

import (
	"context"
	"errors"

	"oc-scheduler/streams/watcher"
)

// checkpointStore is the part of a watcher.EventStore that keeps positions.
type checkpointStore interface {
	StoreCheckpoint(ctx context.Context, name string, seqNum uint64) error
	GetCheckpoint(ctx context.Context, name string) (uint64, error)
}

// StoreCheckpointer keeps positions beside the events of a ledger, where they last as long as it does.
type StoreCheckpointer struct{ store checkpointStore }

var _ Checkpointer = StoreCheckpointer{}

// NewCheckpointer makes the Checkpointer of an event store.
func NewCheckpointer(store checkpointStore) StoreCheckpointer { return StoreCheckpointer{store} }

// Checkpoint stores a position. It fails as the store does.
func (c StoreCheckpointer) Checkpoint(ctx context.Context, name string, sequence uint64) error {
	return c.store.StoreCheckpoint(ctx, name, sequence)
}

// GetCheckpoint reads a position; 0 when none was stored. It fails as the store does.
func (c StoreCheckpointer) GetCheckpoint(ctx context.Context, name string) (uint64, error) {
	sequence, err := c.store.GetCheckpoint(ctx, name)
	if errors.Is(err, watcher.ErrCheckpointNotFound) {
		return 0, nil
	}
	return sequence, err
}
