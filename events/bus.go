package events

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// Bus is the JetStream side of the OpenCloud bus: the streams OC_BUS and OC_BUS_DEAD and the durable
// consumer that all replicas share.
type Bus struct {
	js       jetstream.JetStream
	replicas int
	ackWait  time.Duration // how long a replica may be silent about a message before another gets it
}

const ackWait = 10 * time.Second

// OpenBus makes the streams and the consumer, or verifies those that stand. It fails with a
// *jet.ForeignError or a *jet.NoClusterError for what an operator must mend; any other error may pass.
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
func (b *Bus) ensure(ctx context.Context) (created time.Time, err error) {
	if _, err := jet.EnsureStream(ctx, b.js, b.deadConfig()); err != nil {
		return time.Time{}, about(err, "stream "+DeadStream)
	}
	stream, err := jet.EnsureStream(ctx, b.js, b.busConfig())
	if err != nil {
		return time.Time{}, about(err, "stream "+Stream)
	}
	if _, err := jet.EnsureConsumer(ctx, b.js, Stream, b.consumerConfig()); err != nil {
		return time.Time{}, about(err, jet.ConsumerName(Stream, Durable))
	}
	return stream.CachedInfo().Created, nil
}

// Last tells the newest event that OC_BUS has stored when it answers, and when that is. It fails as the
// client does.
func Last(ctx context.Context, js jetstream.JetStream) (Arrival, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	stream, err := jet.Hedged(ctx, func(ctx context.Context) (jetstream.Stream, error) { return js.Stream(ctx, Stream) })
	if err != nil {
		return Arrival{}, fmt.Errorf("stream %s: %w", Stream, err)
	}
	info := stream.CachedInfo()
	return Arrival{Seq: info.State.LastSeq, Time: info.TimeStamp, Bus: info.Created}, nil
}

// about says what an error is about, unless it says so itself.
func about(err error, what string) error {
	if jet.NeedsOperator(err) {
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
		MaxMsgs:     -1, MaxBytes: deadBytes, MaxMsgsPerSubject: -1,
		Metadata: jet.Version{Layout: 2, Least: 1}.Mark(nil), // of layout 1 it was unbounded
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
