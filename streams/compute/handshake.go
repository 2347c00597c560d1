package compute

import (
	"context"
	"fmt"
	"math"
	"time"

	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// maxSequence is beyond what any stream has.
const maxSequence = math.MaxInt64

// soonest and latest bound what the scheduler may say of when to ask again.
const soonest, latest = time.Second, time.Minute

// laterError is a refusal that may be another answer soon.
type laterError struct {
	error
	after time.Duration
}

func (e *laterError) Unwrap() error { return e.error }

// handshake opens the session at the scheduler, and the gate for messages from it.
func (s *session) handshake(ctx context.Context) error {
	request, err := s.introduce(ctx)
	if err != nil {
		return err
	}
	answer, err := ask[nclprotocol.HandshakeResponse](ctx, &s.cfg, s.requester, request)
	if err != nil {
		return err
	}
	if !answer.Accepted {
		return s.turnedAway(ctx, answer)
	}
	if answer.LastNodeSequence > request.NewestSequence {
		return fmt.Errorf("%w: the scheduler has event %d, the ledger ends with %d", dispatcher.ErrAhead, answer.LastNodeSequence, request.NewestSequence)
	}
	if answer.StartSchedulerSequence > maxSequence {
		return fmt.Errorf("the scheduler has orders from %d on: no stream goes that far", answer.StartSchedulerSequence)
	}
	if err := s.incoming.begin(ctx, answer.StartSchedulerSequence); err != nil {
		return err
	}
	s.nodeInfo, s.lastNodeSequence, s.processed = request.NodeInfo, answer.LastNodeSequence, request.LastSchedulerSequence
	s.inbound.Open()
	return nil
}

// turnedAway is why the scheduler does not let the node in. A ledger that can't go on under its name gets another.
func (s *session) turnedAway(ctx context.Context, answer *nclprotocol.HandshakeResponse) error {
	refused := &ncl.RefusedError{Reason: ncl.Reason(answer.Reason)}
	after := answer.RetryAfter.Duration()
	if store, can := s.cfg.EventStore.(watcher.Renamer); can && answer.NewLedger {
		if err := store.Rename(ctx); err != nil {
			return fmt.Errorf("%w: another name for the ledger: %w", refused, err)
		}
		s.logger.WarnContext(ctx, "the ledger was restored from a copy, and goes on under another name", "ledger", s.cfg.EventStore.LedgerID())
		after = soonest
	}
	if after > 0 {
		return &laterError{refused, min(max(after, soonest), latest)}
	}
	return refused
}

func (s *session) introduce(ctx context.Context) (r nclprotocol.HandshakeRequest, err error) {
	last, err := s.incoming.last(ctx)
	if err != nil {
		return r, err
	}
	newest, err := s.cfg.EventStore.GetLatestEventNum(ctx)
	if err != nil {
		return r, fmt.Errorf("newest event: %w", err)
	}
	info, err := tell(ctx, &s.cfg)
	if err != nil {
		return r, err
	}
	return nclprotocol.HandshakeRequest{
		Session:               s.name,
		NodeInfo:              info,
		Started:               s.born,
		HeartbeatInterval:     nclprotocol.Seconds(s.cfg.HeartbeatInterval),
		HeartbeatMissFactor:   s.cfg.HeartbeatMissFactor,
		LastSchedulerSequence: last,
		Ledger:                s.cfg.EventStore.LedgerID(),
		NewestSequence:        newest,
	}, nil
}
