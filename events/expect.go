package events

import (
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// Expect lists what OpenBus needs on the server at a replication of 1, 3 or 5.
func Expect(replicas int) []jet.Expected {
	b := &Bus{replicas: replicas, ackWait: ackWait}
	return []jet.Expected{
		{Stream: b.busConfig(), Durables: []jetstream.ConsumerConfig{b.consumerConfig()}},
		{Stream: b.deadConfig()},
	}
}
