package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/nclprotocol"
)

const deleteTimeout = time.Second

// inbound is where a node goes on reading.
type inbound struct {
	start   uint64
	created time.Time // of the stream
	from    uint64    // the first message that is for its ledger
	had     uint64    // the last message that may have come to it before
}

// placeInbound makes the consumer anew through which a node reads.
func (c *control) placeInbound(ctx context.Context, nodeID string, s succession) (inbound, error) {
	stream, err := c.inStream(ctx)
	if err != nil {
		return inbound{}, err
	}
	in := s.place(stream.CachedInfo(), func() (uint64, bool) { return deliveredTo(ctx, stream, nodeID) })
	layout := nclprotocol.InConsumerLayout(nodeID, in.start)
	if err := deleteConsumer(ctx, stream, layout.Name); err != nil {
		return inbound{}, unavailable("consumer "+layout.Name, err)
	}
	if _, err := stream.CreateConsumer(ctx, layout); err != nil {
		return inbound{}, unavailable("consumer "+layout.Name, err)
	}
	return in, nil
}

func (c *control) inStream(ctx context.Context) (jetstream.Stream, error) {
	stream, err := jet.EnsureStream(ctx, c.js, nclprotocol.InLayout(c.copies))
	if err != nil {
		return nil, unavailable("stream "+nclprotocol.InStream, err)
	}
	return stream, nil
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
	return fmt.Errorf("%w: %s: %w", kv.ErrUnavailable, what, err)
}
