package jet

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// EnsureStream returns the stream as it must be, and makes it when it is missing. It fails with a
// *ForeignError, a *NoClusterError, or as Stream does, without saying of which stream.
func EnsureStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := Stream(ctx, js, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = js.CreateStream(ctx, want)
	}
	switch {
	case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse): // somebody was faster, with a configuration of his own
		stream, err = Stream(ctx, js, want.Name)
	case errors.Is(err, errOverlap):
		return nil, captor(ctx, js, want, err)
	case errors.Is(err, errNoReplication):
		return nil, &NoClusterError{want.Replicas}
	}
	if err != nil {
		return nil, err
	}
	if err := verify(stream.CachedInfo(), want); err != nil {
		return nil, err
	}
	return stream, nil
}

func verify(have *jetstream.StreamInfo, want jetstream.StreamConfig) error {
	d := StreamDifferences(have.Config, want)
	switch alone := have.Cluster == nil || have.Cluster.Name == ""; {
	case len(d) == 0:
		return nil
	case alone && want.Replicas > 1:
		return &NoClusterError{want.Replicas}
	}
	return &ForeignError{Name: "stream " + want.Name, Differences: d}
}

// captor finds the stream that stands in the way.
func captor(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig, cause error) error {
	for _, subject := range want.Subjects {
		name, err := js.StreamNameBySubject(ctx, subject)
		switch {
		case err == nil && name != want.Name:
			return &ForeignError{Name: "stream " + want.Name, CapturedBy: name, Subject: subject}
		case err != nil && !errors.Is(err, jetstream.ErrStreamNotFound):
			return err
		}
	}
	return cause
}

// EnsureConsumer is to a durable consumer what EnsureStream is to a stream.
func EnsureConsumer(ctx context.Context, js jetstream.JetStream, stream string, want jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	find := func(ctx context.Context) (jetstream.Consumer, error) { return js.Consumer(ctx, stream, want.Durable) }
	consumer, err := Hedged(ctx, find)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		consumer, err = js.CreateConsumer(ctx, stream, want)
	}
	if errors.Is(err, jetstream.ErrConsumerExists) {
		consumer, err = Hedged(ctx, find)
	}
	if err != nil {
		return nil, err
	}
	if d := ConsumerDifferences(consumer.CachedInfo().Config, want); len(d) > 0 {
		return nil, &ForeignError{Name: ConsumerName(stream, want.Durable), Differences: d}
	}
	return consumer, nil
}

// ConsumerName is how errors call a consumer.
func ConsumerName(stream, durable string) string {
	return "consumer " + durable + " of stream " + stream
}
