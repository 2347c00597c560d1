package kv

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// consume applies what the consumer delivers: the newest message of each key, then each change. fail ends it.
func (f *Feed) consume(ctx context.Context, cons jetstream.Consumer, s *snapshot, fail func(error)) error {
	settle := func() {
		if !s.complete && s.ended(ctx, fail) {
			f.complete(ctx)
		}
	}
	if cons.CachedInfo().NumPending == 0 {
		settle()
	}
	r := Reader(cons, inFlight)
	r.Request.MaxBytes, r.Request.Heartbeat = inFlightBytes, doubtful
	r.Idle = settle
	return r.Run(ctx, f.stream.js, jet.Gapless(func(m *nats.Msg, md *nats.MsgMetadata) error {
		f.apply(ctx, m, md)
		if s.reach(md.Sequence.Stream, md.NumPending) {
			settle()
		}
		return nil
	}))
}
