package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// ensureStream creates a stream, or finds it configured as wanted. It fails with a
// ForeignConfigError or ErrUnavailable.
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
		return nil, foreign(want.Name, "Replicas (--js-replicas)", "1 at most on this server without a cluster", want.Replicas)
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, classify(ctx, err))
	}
	if d := streamDifferences(stream.CachedInfo().Config, want); len(d) > 0 {
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
	if d := consumerDifferences(consumer.CachedInfo().Config, want); len(d) > 0 {
		return nil, &ForeignConfigError{Name: name, Differences: d}
	}
	return consumer, nil
}

func foreign(name, field, have string, want any) error {
	return &ForeignConfigError{Name: name, Differences: []Difference{{field, have, fmt.Sprint(want)}}}
}

func streamDifferences(have, want jetstream.StreamConfig) []Difference {
	var d differences
	d.add("Subjects", have.Subjects, want.Subjects)
	d.add("Retention", have.Retention, want.Retention)
	d.add("Storage", have.Storage, want.Storage)
	d.add("Replicas (--js-replicas)", have.Replicas, want.Replicas)
	d.add("MaxMsgsPerSubject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject)
	d.add("MaxMsgs", have.MaxMsgs, want.MaxMsgs)
	d.add("MaxBytes", have.MaxBytes, want.MaxBytes)
	d.add("MaxMsgSize", have.MaxMsgSize, want.MaxMsgSize)
	d.add("MaxAge", have.MaxAge, want.MaxAge)
	d.add("Discard", have.Discard, want.Discard)
	d.add("NoAck", have.NoAck, want.NoAck)
	d.add("Sealed", have.Sealed, want.Sealed)
	d.add("AllowRollup", have.AllowRollup, want.AllowRollup)
	d.add("AllowDirect", have.AllowDirect, want.AllowDirect)
	d.add("AllowMsgTTL", have.AllowMsgTTL, want.AllowMsgTTL)
	d.add("SubjectDeleteMarkerTTL", have.SubjectDeleteMarkerTTL, want.SubjectDeleteMarkerTTL)
	d.add("AllowAtomicPublish", have.AllowAtomicPublish, want.AllowAtomicPublish)
	d.add("AllowMsgSchedules", have.AllowMsgSchedules, want.AllowMsgSchedules)
	d.add("Mirror", have.Mirror != nil, want.Mirror != nil)
	d.add("Sources", len(have.Sources), len(want.Sources))
	d.add("SubjectTransform", have.SubjectTransform != nil, want.SubjectTransform != nil)
	return d
}

func consumerDifferences(have, want jetstream.ConsumerConfig) []Difference {
	var d differences
	d.add("FilterSubject", have.FilterSubject, want.FilterSubject)
	d.add("DeliverPolicy", have.DeliverPolicy, want.DeliverPolicy)
	d.add("AckPolicy", have.AckPolicy, want.AckPolicy)
	d.add("AckWait", have.AckWait, want.AckWait)
	d.add("MaxDeliver", have.MaxDeliver, want.MaxDeliver)
	d.add("MaxAckPending", have.MaxAckPending, want.MaxAckPending)
	d.add("HeadersOnly", have.HeadersOnly, want.HeadersOnly)
	return d
}

type differences []Difference

func (d *differences) add(field string, have, want any) {
	if h, w := fmt.Sprint(have), fmt.Sprint(want); h != w {
		*d = append(*d, Difference{field, h, w})
	}
}
