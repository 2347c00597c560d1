package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/synadia-io/orbit.go/jetstreamext"
)

// Commit stores the cursor and what was changed, and returns the cursor's revision. It fails with
// ErrOvertaken, with ErrUnavailable, after which the outcome may be unknown, and with ErrTooLarge,
// ErrUnstorable or id.ErrInvalid, which no other try mends.
func (s *Step) Commit(ctx context.Context, c Cursor) (revision uint64, err error) {
	messages, err := s.messages(c)
	if err != nil {
		return 0, err
	}
	revision, err = s.publish(ctx, messages)
	if ctx.Err() == nil {
		s.x.bucket.refusal.Note(s.x.bucket.js.Conn(), err)
	}
	err = classify(ctx, err)
	if errors.Is(err, errConflict) {
		s.x.bucket.conflicts.Inc()
		return 0, fmt.Errorf("%w: %w", ErrOvertaken, err)
	}
	return revision, err
}

func (s *Step) publish(ctx context.Context, messages []*nats.Msg) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	if len(messages) == 1 { // a batch costs more
		ack, err := s.x.bucket.js.PublishMsg(ctx, messages[0])
		if err != nil {
			return 0, err
		}
		return ack.Sequence, nil
	}
	ack, err := jetstreamext.PublishMsgBatch(ctx, s.x.bucket.js, messages,
		jetstreamext.BatchFlowControl{AckFirst: true, AckTimeout: attemptTimeout})
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// messages end with the cursor's: the sequence of the last one is what is acknowledged.
func (s *Step) messages(c Cursor) ([]*nats.Msg, error) {
	messages := make([]*nats.Msg, 0, len(s.order)+1)
	for _, of := range s.order {
		t := s.read[of]
		m, err := messageOf(s.x.bucket, of, t.value, executionTTL, t.revision)
		if err != nil {
			return nil, fmt.Errorf("execution %q: %w", of, err)
		}
		messages = append(messages, m)
	}
	m, err := messageOf(s.x.cursors, s.nodeID, c, 0, s.revision)
	if err != nil {
		return nil, fmt.Errorf("cursor: %w", err)
	}
	return append(messages, m), nil
}

// messageOf writes a value; ttl 0 is for ever.
func messageOf(b *bucket, key string, value any, ttl time.Duration, revision uint64) (*nats.Msg, error) {
	subject, err := b.subject(key)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnstorable, err)
	}
	return (&write{data: data, ttl: ttl}).message(subject, revision), nil
}
