package kv

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var errGap = errors.New("a message was lost on the way")

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
	var seen uint64
	r := Reader(cons, inFlight)
	r.Request.MaxBytes, r.Request.Heartbeat = inFlightBytes, doubtful
	r.Idle = settle
	return r.Run(ctx, f.stream.js, func(m *nats.Msg) error {
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		if md.Sequence.Consumer != seen+1 {
			return fmt.Errorf("%w: %d follows %d", errGap, md.Sequence.Consumer, seen)
		}
		seen = md.Sequence.Consumer
		f.apply(ctx, m, md)
		if s.reach(md.Sequence.Stream, md.NumPending) {
			settle()
		}
		return nil
	})
}
