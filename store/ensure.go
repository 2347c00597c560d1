package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// ensureStream creates a stream, or finds it configured as wanted. It fails with a
// ForeignConfigError, a NoClusterError or ErrUnavailable.
func ensureStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	stream, err := js.CreateStream(attempt, want)
	switch {
	case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse):
		stream, err = js.Stream(attempt, want.Name)
	case hasCode(err, codeOverlap):
		return nil, foreign(want.Name, "Subjects", "captured by another stream", want.Subjects)
	case hasCode(err, codeNoReplication):
		return nil, &NoClusterError{want.Replicas}
	case withoutJetStream(err):
		return nil, &noJetStreamError{err}
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, classify(ctx, err))
	}
	if d := StreamDifferences(stream.CachedInfo().Config, want); len(d) > 0 {
		return nil, &ForeignConfigError{Name: want.Name, Differences: d}
	}
	return stream, nil
}

// ensureConsumer creates a durable consumer, or finds it configured as wanted. It fails as
// ensureStream does.
func ensureConsumer(ctx context.Context, js jetstream.JetStream, stream string, want jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	name := stream + " consumer " + want.Durable
	consumer, err := js.CreateConsumer(attempt, stream, want)
	if errors.Is(err, jetstream.ErrConsumerExists) {
		consumer, err = js.Consumer(attempt, stream, want.Durable)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, classify(ctx, err))
	}
	if d := ConsumerDifferences(consumer.CachedInfo().Config, want); len(d) > 0 {
		return nil, &ForeignConfigError{Name: name, Differences: d}
	}
	return consumer, nil
}

func foreign(name, field, have string, want any) error {
	return &ForeignConfigError{Name: name, Differences: []Difference{{field, have, fmt.Sprint(want)}}}
}
