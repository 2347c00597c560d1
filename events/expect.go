package events

import "github.com/nats-io/nats.go/jetstream"

// Expected is a stream as OpenBus makes it or accepts it, for those who verify it without making it.
type Expected struct {
	Stream  jetstream.StreamConfig
	Durable *jetstream.ConsumerConfig // shared by all replicas; nil: the stream has none
}

// Expect lists what OpenBus needs on the server at a replication of 1, 3 or 5.
func Expect(replicas int) []Expected {
	b := &Bus{replicas: replicas, ackWait: ackWait}
	durable := b.consumerConfig()
	return []Expected{{b.busConfig(), &durable}, {b.deadConfig(), nil}}
}
