package nclprotocol

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// keep is how long messages are kept for an end that is away.
const keep = 7 * 24 * time.Hour

// MaxMessage is the longest frame of an event or an order, in bytes: the streams take no longer ones.
const MaxMessage = 1 << 20

const (
	// headerRoom is for the headers beside a frame.
	headerRoom = 4 << 10
	// maxOfNode is how many messages of one node a stream keeps.
	maxOfNode = 100_000
	// maxOut is how many bytes OutStream keeps. Servers set them aside: what they have to store is none of
	// the nodes', who may send what they like.
	maxOut = 256 << 20
)

// OutLayout is OutStream as the scheduler makes it. It is bounded, and what it has discarded before it was
// handled shows as a gap: the node sends it again from its ledger.
func OutLayout(replicas int) jetstream.StreamConfig {
	c := layout(OutStream, "Execution events, from nodes", AllOut, replicas)
	c.MaxBytes = maxOut
	return c
}

// maxNodes is how many nodes there may be. Each has a consumer, and a server allows a stream 1000 of them
// where nothing else is said (nats-server, DefaultMaxConsumers).
const maxNodes = 100_000

// InLayout is InStream as the scheduler makes it. Only the scheduler writes to it; of a node that reads
// nothing any more the oldest orders go first.
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
		MaxMsgsPerSubject: maxOfNode,
		MaxBytes:          -1,
		MaxMsgSize:        MaxMessage + headerRoom,
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
