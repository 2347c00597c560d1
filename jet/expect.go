package jet

import "github.com/nats-io/nats.go/jetstream"

// Expected is a stream as its owner makes it or accepts it, for those who verify it without making it.
type Expected struct {
	Stream   jetstream.StreamConfig
	Durables []jetstream.ConsumerConfig // shared by all replicas
}
