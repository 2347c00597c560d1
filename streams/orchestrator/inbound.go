package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
)

const deleteTimeout = time.Second

// inbound is where a node goes on reading.
type inbound struct {
	start   uint64
	created time.Time // of the stream
}

// placeInbound makes the consumer anew through which a node reads, after the last message that it has
// processed: as it says itself, or, when it has lost its memory, as it has acknowledged before. In a
// stream that was made anew, or restored from an older copy, both mean nothing.
func (c *control) placeInbound(ctx context.Context, nodeID string, says uint64) (inbound, error) {
	stream, err := jet.EnsureStream(ctx, c.js, nclprotocol.InLayout(c.copies))
	if err != nil {
		return inbound{}, unavailable("stream "+nclprotocol.InStream, err)
	}
	info := stream.CachedInfo()
	stands, err := c.store.Nodes.Get(ctx, nodeID)
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrUndecodable) {
		return inbound{}, err
	}
	in := inbound{startAfter(says, stands, info), info.Created}
	layout := nclprotocol.InConsumerLayout(nodeID, in.start)
	if err := deleteConsumer(ctx, stream, layout.Name); err != nil {
		return inbound{}, unavailable("consumer "+layout.Name, err)
	}
	if _, err := stream.CreateConsumer(ctx, layout); err != nil {
		return inbound{}, unavailable("consumer "+layout.Name, err)
	}
	return in, nil
}

// deleteConsumer does not wait long for the answer: none comes when the server that had the consumer is
// down, and the consumer has gone all the same.
func deleteConsumer(ctx context.Context, stream jetstream.Stream, name string) error {
	attempt, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	err := stream.DeleteConsumer(attempt, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

func startAfter(says uint64, stands store.NodeRecord, info *jetstream.StreamInfo) uint64 {
	replaced := !stands.InStream.IsZero() && !stands.InStream.Equal(info.Created)
	last := says
	if !replaced {
		last = max(last, stands.LastSchedulerSequence)
	}
	if replaced || last > info.State.LastSeq {
		return 1
	}
	return last + 1
}

// lastOut is the last position in the stream of events: what comes after it is of a later session.
func (c *control) lastOut(ctx context.Context) (uint64, error) {
	stream, err := jet.EnsureStream(ctx, c.js, nclprotocol.OutLayout(c.copies))
	if err != nil {
		return 0, unavailable("stream "+nclprotocol.OutStream, err)
	}
	return stream.CachedInfo().State.LastSeq, nil
}

// unavailable is an error of JetStream's API: whatever it is, the next try may succeed.
func unavailable(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, what, err)
}
