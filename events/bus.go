package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Bus is the JetStream side of the OpenCloud bus: the streams OC_BUS and OC_BUS_DEAD and the durable
// consumer that all replicas share.
type Bus struct {
	js       jetstream.JetStream
	replicas int
}

// OpenBus makes the streams and the consumer, or verifies those that stand. It fails with a
// *ConfigError for what an operator must mend; any other error may pass.
func OpenBus(ctx context.Context, js jetstream.JetStream, replicas int) (*Bus, error) {
	b := &Bus{js: js, replicas: replicas}
	if _, err := b.ensure(ctx); err != nil {
		return nil, err
	}
	return b, nil
}

// ensure is OpenBus for a bus that may have been removed meanwhile. It returns when OC_BUS was made.
func (b *Bus) ensure(ctx context.Context) (created time.Time, err error) {
	if _, err := b.stream(ctx, b.deadConfig()); err != nil {
		return time.Time{}, err
	}
	stream, err := b.stream(ctx, b.busConfig())
	if err != nil {
		return time.Time{}, err
	}
	return stream.CachedInfo().Created, b.consumer(ctx, stream)
}

func (b *Bus) busConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        Stream,
		Description: "Events of the OpenCloud bus",
		Subjects:    []string{Propagation, CreateResource, RemoveResource},
		MaxAge:      busAge,
		MaxMsgSize:  MaxMessageSize,
		Duplicates:  2 * time.Minute,
		Replicas:    b.replicas,
		MaxMsgs:     -1, MaxBytes: -1, MaxMsgsPerSubject: -1,
	}
}

func (b *Bus) deadConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        DeadStream,
		Description: "Messages of the OpenCloud bus that could not be used, as they came",
		Subjects:    []string{deadSubject + ">"},
		MaxAge:      deadAge,
		MaxMsgSize:  -1, // a letter is larger than its message by its headers
		Duplicates:  deadWindow,
		Replicas:    b.replicas,
		MaxMsgs:     -1, MaxBytes: -1, MaxMsgsPerSubject: -1,
	}
}

func consumerConfig() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       Durable,
		Description:   "Shared by all replicas of oc-scheduler",
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxDeliver:    -1,
		MaxAckPending: maxPending,
	}
}

// stream makes a stream; making one that stands as it should changes nothing.
func (b *Bus) stream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := b.js.CreateStream(ctx, want)
	var api *jetstream.APIError
	switch {
	case err == nil:
		return stream, nil
	case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse):
		return b.verify(ctx, want)
	case errors.As(err, &api) && api.ErrorCode == codeSubjectOverlap:
		return nil, b.captor(ctx, want, err)
	}
	return nil, fmt.Errorf("stream %s: %w", want.Name, err)
}

// codeSubjectOverlap is the server's answer to a stream on subjects that another stream captures.
const codeSubjectOverlap = 10065

// verify accepts a stream that stands with another configuration when nothing that matters differs.
func (b *Bus) verify(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := b.js.Stream(ctx, want.Name)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, err)
	}
	if d := streamDifferences(stream.CachedInfo().Config, want); len(d) > 0 {
		return nil, &ConfigError{What: "stream " + want.Name, Differences: d}
	}
	return stream, nil
}

// captor finds the stream that stands in the way.
func (b *Bus) captor(ctx context.Context, want jetstream.StreamConfig, cause error) error {
	for _, subject := range want.Subjects {
		name, err := b.js.StreamNameBySubject(ctx, subject)
		switch {
		case err == nil && name != want.Name:
			return &ConfigError{What: "stream " + want.Name, CapturedBy: name, Subject: subject}
		case err != nil && !errors.Is(err, jetstream.ErrStreamNotFound):
			return fmt.Errorf("stream %s: %w", want.Name, err)
		}
	}
	return fmt.Errorf("stream %s: %w", want.Name, cause)
}

func (b *Bus) consumer(ctx context.Context, stream jetstream.Stream) error {
	want := consumerConfig()
	_, err := stream.CreateConsumer(ctx, want)
	if !errors.Is(err, jetstream.ErrConsumerExists) {
		return err
	}
	consumer, err := stream.Consumer(ctx, Durable)
	if err != nil {
		return fmt.Errorf("consumer %s: %w", Durable, err)
	}
	if d := consumerDifferences(consumer.CachedInfo().Config, want); len(d) > 0 {
		return &ConfigError{What: fmt.Sprintf("consumer %s of stream %s", Durable, Stream), Differences: d}
	}
	return nil
}
