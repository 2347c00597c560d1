package events

import "oc-scheduler/jet"

// Expect lists what OpenBus needs on the server at a replication of 1, 3 or 5.
func Expect(replicas int) []jet.Expected {
	b := &Bus{replicas: replicas, ackWait: ackWait}
	durable := b.consumerConfig()
	return []jet.Expected{{Stream: b.busConfig(), Durable: &durable}, {Stream: b.deadConfig()}}
}
