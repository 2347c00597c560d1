package store

import "github.com/nats-io/nats.go/jetstream"

// Expected is a stream as Open makes it or accepts it, for those who verify it without making it.
type Expected struct {
	Stream  jetstream.StreamConfig
	Durable *jetstream.ConsumerConfig // shared by all replicas; nil: the stream has none
}

// Expect lists what Open needs on the server at a replication of 1, 3 or 5.
func Expect(replicas int) []Expected {
	all := make([]Expected, 0, len(buckets))
	for _, bucket := range buckets {
		e := Expected{Stream: layout(bucket, replicas)}
		if bucket == PlannersBucket {
			ends := endsConsumer()
			e.Durable = &ends
		}
		all = append(all, e)
	}
	return all
}
