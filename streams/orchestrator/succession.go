package orchestrator

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
)

// succession is what a node comes with, and what is known of it.
type succession struct {
	stands store.NodeRecord // zero: nothing is
	ledger string
	known  bool   // events of the ledger were the last that were handled
	says   uint64 // the last message that it has processed
}

// goesOn says whether the ledger has what was sent to the node before.
func (s succession) goesOn() bool {
	return s.stands.Ledger == s.ledger || s.stands.Ledger == "" && s.known
}

// place is where the node goes on in the stream of orders. delivered says up to where they have come to it,
// if that is known.
//
// A ledger that goes on does so after the last order that was processed: as the node says itself, or, when it
// has lost its memory, as it has acknowledged before. In a stream that was made anew, or restored from an
// older copy, both mean nothing, and what comes again has no second effect. To another ledger it would all
// be new: that one begins after what may have come to those before it.
func (s succession) place(info *jetstream.StreamInfo, delivered func() (uint64, bool)) inbound {
	replaced := !s.stands.InStream.IsZero() && !s.stands.InStream.Equal(info.Created)
	had := info.State.LastSeq // who knows what it was
	if !replaced && s.stands.NodeID != "" {
		had = min(s.had(had, delivered), had)
	}
	if !s.goesOn() {
		start := max(had, min(s.says, info.State.LastSeq)) + 1
		return inbound{start: start, created: info.Created, from: start, had: start - 1}
	}
	last := s.says
	if s.stands.Ledger != "" { // else what is on record is of no ledger
		last = max(last, s.stands.LastSchedulerSequence)
	}
	if replaced || last > info.State.LastSeq {
		return inbound{start: 1, created: info.Created, had: had}
	}
	return inbound{start: last + 1, created: info.Created, from: s.stands.LedgerFrom, had: had}
}

// had is the last order that may have come to the node in this session and before; where nobody knows, the newest.
func (s succession) had(newest uint64, delivered func() (uint64, bool)) uint64 {
	last, known := delivered()
	noted := s.stands.State != store.NodeConnected && (s.stands.Delivered > 0 || s.stands.Generation == 0)
	if known || noted {
		return max(last, s.stands.Delivered)
	}
	return newest
}

// infoTimeout bounds the question for a consumer: none answers when the server that had it is down.
const infoTimeout = time.Second

// deliveredTo is the last order that has come to a node through its consumer, if that still stands.
func deliveredTo(ctx context.Context, stream jetstream.Stream, nodeID string) (last uint64, known bool) {
	ctx, cancel := context.WithTimeout(ctx, infoTimeout)
	defer cancel()
	consumer, err := stream.Consumer(ctx, nclprotocol.InConsumer(nodeID))
	if err != nil {
		return 0, false
	}
	return consumer.CachedInfo().Delivered.Stream, true
}

// reached is the last order that may have come to a node in the session that is over. It fails with
// kv.ErrUnavailable.
func reached(ctx context.Context, js jetstream.JetStream, nodeID string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	stream, err := jet.Stream(ctx, js, nclprotocol.InStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, unavailable("stream "+nclprotocol.InStream, err)
	}
	if last, known := deliveredTo(ctx, stream, nodeID); known {
		return last, nil
	}
	return stream.CachedInfo().State.LastSeq, nil
}
