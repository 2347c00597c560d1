package nclprotocol

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// keep is how long messages are kept for an end that is away.
const keep = 7 * 24 * time.Hour

// OutLayout is OutStream as the scheduler makes it.
func OutLayout(replicas int) jetstream.StreamConfig {
	return layout(OutStream, "Execution events, from nodes", AllOut, replicas)
}

// maxNodes is how many nodes there may be. Each has a consumer, and a server allows a stream 1000 of them
// where nothing else is said (nats-server, DefaultMaxConsumers).
const maxNodes = 100_000

// InLayout is InStream as the scheduler makes it.
func InLayout(replicas int) jetstream.StreamConfig {
	c := layout(InStream, "Execution orders, to nodes", AllIn, replicas)
	c.MaxConsumers = maxNodes
	return c
}

func layout(name, description, subject string, replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              name,
		Description:       description,
		Subjects:          []string{subject},
		Storage:           jetstream.FileStorage,
		Discard:           jetstream.DiscardOld,
		MaxAge:            keep,
		MaxMsgs:           -1,
		MaxMsgsPerSubject: -1,
		MaxBytes:          -1,
		MaxMsgSize:        -1,
		AllowDirect:       true,
		Replicas:          replicas,
	}
}

// InConsumerLayout is the consumer through which a node reads InStream from a sequence on. The
// scheduler makes it anew at each handshake: it acknowledges nothing, so a node that missed a message
// asks for another handshake, which begins after the last one that it has processed.
func InConsumerLayout(nodeID string, start uint64) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Name:              InConsumer(nodeID),
		FilterSubject:     InSubject(nodeID),
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       max(start, 1),
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: 10 * time.Minute,
	}
}
