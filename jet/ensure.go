package jet

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// EnsureStream returns the stream as it must be, and makes it when it is missing; one of an older layout is changed
// in place, where Adapt says how: that is the same whoever does it, and however often. It fails with a
// *ForeignError, a *LayoutError, a *NoClusterError, or as Stream does, without saying of which stream.
func EnsureStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := Stream(ctx, js, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = js.CreateStream(ctx, marked(want))
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // somebody was faster, with a configuration of his own
		stream, err = Stream(ctx, js, want.Name)
	}
	if err == nil {
		stream, err = adapted(ctx, js, stream, want)
	}
	switch {
	case errors.Is(err, errOverlap):
		return nil, captor(ctx, js, want, err)
	case errors.Is(err, errNoReplication):
		return nil, &NoClusterError{want.Replicas}
	case err != nil:
		return nil, err
	}
	return stream, nil
}

func adapted(ctx context.Context, js jetstream.JetStream, stream jetstream.Stream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	have := stream.CachedInfo()
	next, err := Adapt(have.Config, want)
	switch alone := have.Cluster == nil || have.Cluster.Name == ""; {
	case err != nil && alone && want.Replicas > 1:
		return nil, &NoClusterError{want.Replicas}
	case err != nil || next == nil:
		return stream, err
	}
	return js.UpdateStream(ctx, *next)
}

// captor finds the stream that stands in the way.
func captor(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig, cause error) error {
	for _, subject := range want.Subjects {
		name, err := js.StreamNameBySubject(ctx, subject)
		switch {
		case err == nil && name != want.Name:
			return &ForeignError{Name: streamName(want), CapturedBy: name, Subject: subject}
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
	if have := consumer.CachedInfo().Config; have.AckWait != want.AckWait { // an earlier release's, which changes no meaning
		have.AckWait = want.AckWait
		if len(ConsumerDifferences(have, want)) == 0 {
			return js.UpdateConsumer(ctx, stream, have)
		}
	}
	if d := ConsumerDifferences(consumer.CachedInfo().Config, want); len(d) > 0 {
		return nil, &ForeignError{Name: ConsumerName(stream, want.Durable), Differences: d}
	}
	return consumer, nil
}

func streamName(c jetstream.StreamConfig) string { return "stream " + c.Name }

// ConsumerName is how errors call a consumer.
func ConsumerName(stream, durable string) string {
	return "consumer " + durable + " of stream " + stream
}
