package compute

import (
	"context"
	"fmt"

	"oc-scheduler/streams/nclprotocol"
)

// incoming is how far the node has come with the messages of the scheduler. It outlives sessions. Only
// the one goroutine that makes them calls its methods.
type incoming struct {
	tracker  *nclprotocol.SequenceTracker // of the last session
	keeper   nclprotocol.Checkpointer
	name     string // of the checkpoint
	restored bool   // the tracker knows what was remembered
}

func newIncoming(c Config) *incoming {
	return &incoming{
		tracker: nclprotocol.NewSequenceTracker(),
		keeper:  c.Checkpointer,
		name:    "compute.incoming." + c.NodeID,
	}
}

// renew makes the tracker of another session, which begins where the last one ended. A handler of an
// earlier one that did not end with its context moves nothing on any more.
func (i *incoming) renew() *nclprotocol.SequenceTracker {
	last := i.tracker.LastSequence()
	i.tracker = nclprotocol.NewSequenceTracker()
	i.tracker.Reset(last)
	return i.tracker
}

// last is the last message that was processed, be it by an earlier program.
func (i *incoming) last(ctx context.Context) (uint64, error) {
	if !i.restored {
		sequence, err := i.keeper.GetCheckpoint(ctx, i.name)
		if err != nil {
			return 0, fmt.Errorf("checkpoint %s: %w", i.name, err)
		}
		i.tracker.Reset(sequence)
		i.restored = true
	}
	return i.tracker.LastSequence(), nil
}

// begin goes to where the scheduler says, which may be earlier.
func (i *incoming) begin(ctx context.Context, start uint64) error {
	last := max(start, 1) - 1
	if err := i.keeper.Checkpoint(ctx, i.name, last); err != nil {
		return fmt.Errorf("checkpoint %s: %w", i.name, err)
	}
	i.tracker.Reset(last)
	return nil
}
