package watcher

import (
	"context"
	"errors"

	"oc-scheduler/streams/guard"
)

// Position is where in a ledger a Watcher begins. The zero value is the beginning.
type Position struct {
	from origin
	seq  uint64
}

type origin int

const (
	fromSequence origin = iota
	fromCheckpoint
	fromLatest
)

// After is the position behind an event: the one with the next number comes first.
func After(seqNum uint64) Position { return Position{fromSequence, seqNum} }

// AtCheckpoint is the position that was kept under the Watcher's id, or the beginning.
func AtCheckpoint() Position { return Position{from: fromCheckpoint} }

// Latest is the position behind the newest event there is.
func Latest() Position { return Position{from: fromLatest} }

// find is resolve; it fails, too, when the store panics.
func (p Position) find(ctx context.Context, store EventStore, id string) (seqNum uint64, err error) {
	err = guard.Apart(func() (err error) {
		seqNum, err = p.resolve(ctx, store, id)
		return err
	})
	return seqNum, err
}

// resolve is the number of the event behind which the position is.
func (p Position) resolve(ctx context.Context, store EventStore, id string) (uint64, error) {
	switch p.from {
	case fromCheckpoint:
		seqNum, err := store.GetCheckpoint(ctx, id)
		if errors.Is(err, ErrCheckpointNotFound) {
			return 0, nil
		}
		return seqNum, err
	case fromLatest:
		return store.GetLatestEventNum(ctx)
	default:
		return p.seq, nil
	}
}
