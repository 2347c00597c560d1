package kv

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// ensureStream creates a stream, or finds it configured as wanted, or changes it to that. It fails as
// jet.NeedsOperator knows, and with ErrUnavailable.
func ensureStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	stream, err := jet.EnsureStream(attempt, js, want)
	return stream, ensured(ctx, "stream "+want.Name, err)
}

// ensureConsumer creates a durable consumer, or finds it configured as wanted. It fails as
// ensureStream does.
func ensureConsumer(ctx context.Context, js jetstream.JetStream, stream string, want jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	consumer, err := jet.EnsureConsumer(attempt, js, stream, want)
	return consumer, ensured(ctx, jet.ConsumerName(stream, want.Durable), err)
}

// ensured gives an error its meaning here, and says what it is about unless it says so itself.
func ensured(ctx context.Context, what string, err error) error {
	switch {
	case err == nil, jet.NeedsOperator(err):
		return err
	case withoutJetStream(err):
		return &noJetStreamError{err}
	}
	return fmt.Errorf("%s: %w", what, classify(ctx, err))
}
