package doctor

import (
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/store"
)

// ackPending is what the durable consumers ask for.
const ackPending = 8000

// expectation is a stream as the replicas need it, whichever package makes it.
type expectation struct {
	stream  jetstream.StreamConfig
	durable *jetstream.ConsumerConfig // nil: none
	bucket  bool

	streamDifferences   func(have jetstream.StreamConfig) []difference
	consumerDifferences func(have jetstream.ConsumerConfig) []difference
}

type difference struct{ Field, Have, Want string }

func expectations(copies int) []expectation {
	var all []expectation
	for _, s := range store.Expect(copies) {
		x := expectation{stream: s.Stream, durable: s.Durable, bucket: true}
		x.streamDifferences = func(have jetstream.StreamConfig) []difference {
			return plain(store.StreamDifferences(have, s.Stream))
		}
		x.consumerDifferences = func(have jetstream.ConsumerConfig) []difference {
			return plain(store.ConsumerDifferences(have, *s.Durable))
		}
		all = append(all, x)
	}
	for _, s := range events.Expect(copies) {
		x := expectation{stream: s.Stream, durable: s.Durable}
		x.streamDifferences = func(have jetstream.StreamConfig) []difference {
			return plain(events.StreamDifferences(have, s.Stream))
		}
		x.consumerDifferences = func(have jetstream.ConsumerConfig) []difference {
			return plain(events.ConsumerDifferences(have, *s.Durable))
		}
		all = append(all, x)
	}
	return all
}

func plain[D store.Difference | events.Difference](list []D) []difference {
	out := make([]difference, len(list))
	for i, d := range list {
		out[i] = difference(d)
	}
	return out
}
