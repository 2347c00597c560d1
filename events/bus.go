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
	ackWait  time.Duration // how long a replica may be silent about a message before another gets it
}

const (
	ackWait     = 10 * time.Second
	durableName = "consumer " + Durable + " of stream " + Stream
)

// OpenBus makes the streams and the consumer, or verifies those that stand. It fails with a
// *ConfigError for what an operator must mend; any other error may pass.
func OpenBus(ctx context.Context, js jetstream.JetStream, replicas int) (*Bus, error) {
	return openBus(ctx, &Bus{js: js, replicas: replicas, ackWait: ackWait})
}

func openBus(ctx context.Context, b *Bus) (*Bus, error) {
	if _, err := b.ensure(ctx); err != nil {
		return nil, err
	}
	return b, nil
}

// ensure is OpenBus for a bus that may have been removed meanwhile. It returns when OC_BUS was made.
// Where all stands it only asks, which works in a cluster without a leader for making things.
func (b *Bus) ensure(ctx context.Context) (created time.Time, err error) {
	if _, err := b.stream(ctx, b.deadConfig()); err != nil {
		return time.Time{}, about(err, "stream "+DeadStream)
	}
	stream, err := b.stream(ctx, b.busConfig())
	if err != nil {
		return time.Time{}, about(err, "stream "+Stream)
	}
	if err := b.consumer(ctx, stream); err != nil {
		return time.Time{}, about(err, durableName)
	}
	return stream.CachedInfo().Created, nil
}

// about says what an error is about, unless it says so itself.
func about(err error, what string) error {
	if _, itself := errors.AsType[*ConfigError](err); itself {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
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

func (b *Bus) consumerConfig() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       Durable,
		Description:   "Shared by all replicas of oc-scheduler",
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       b.ackWait,
		MaxDeliver:    -1,
		MaxAckPending: maxPending,
	}
}

// codeSubjectOverlap is the server's answer to a stream on subjects that another stream captures.
const codeSubjectOverlap = 10065

// stream returns the stream as it must be, and makes it when it is missing.
func (b *Bus) stream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := b.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = b.js.CreateStream(ctx, want)
	}
	var api *jetstream.APIError
	switch {
	case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse): // somebody was faster, with a configuration of his own
		stream, err = b.js.Stream(ctx, want.Name)
	case errors.As(err, &api) && api.ErrorCode == codeSubjectOverlap:
		return nil, b.captor(ctx, want, err)
	}
	if err != nil {
		return nil, err
	}
	if d := StreamDifferences(stream.CachedInfo().Config, want); len(d) > 0 {
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
			return err
		}
	}
	return cause
}

// consumer is to the durable consumer what stream is to a stream.
func (b *Bus) consumer(ctx context.Context, stream jetstream.Stream) error {
	want := b.consumerConfig()
	consumer, err := stream.Consumer(ctx, Durable)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		consumer, err = stream.CreateConsumer(ctx, want)
	}
	if errors.Is(err, jetstream.ErrConsumerExists) {
		consumer, err = stream.Consumer(ctx, Durable)
	}
	if err != nil {
		return err
	}
	if d := ConsumerDifferences(consumer.CachedInfo().Config, want); len(d) > 0 {
		return &ConfigError{What: durableName, Differences: d}
	}
	return nil
}
