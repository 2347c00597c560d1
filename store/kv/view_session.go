package kv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var errGap = errors.New("a message was lost on the way")

// consume applies what the consumer delivers: the newest message of each key, then each change. fail ends it.
func (v *View[T]) consume(ctx context.Context, cons jetstream.Consumer, f *follower, s *snapshot, fail func(error)) error {
	settle := func() {
		if !s.complete && s.ended(ctx, fail) {
			v.complete(ctx, f.generation)
		}
	}
	if cons.CachedInfo().NumPending == 0 {
		settle()
	}
	var seen uint64
	r := Reader(cons, inFlight)
	r.Request.MaxBytes, r.Request.Heartbeat = inFlightBytes, doubtful
	r.Idle = settle
	return r.Run(ctx, v.keys.js, func(m *nats.Msg) error {
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		if md.Sequence.Consumer != seen+1 {
			return fmt.Errorf("%w: %d follows %d", errGap, md.Sequence.Consumer, seen)
		}
		seen = md.Sequence.Consumer
		f.revision.Store(max(f.revision.Load(), md.Sequence.Stream))
		v.apply(ctx, m, md, f.generation)
		if s.reach(md.Sequence.Stream, md.NumPending) {
			settle()
		}
		return nil
	})
}

// complete ends a snapshot: nothing is left that the view has not seen.
func (v *View[T]) complete(ctx context.Context, generation uint64) {
	v.sweep(generation)
	v.setCurrent(true, time.Time{})
	level, msg := slog.LevelInfo, "view is current again" // who was warned of the loss waits for this
	v.loadedOnce.Do(func() {
		level, msg = slog.LevelDebug, "view is loaded"
		close(v.loaded)
	})
	v.log.Log(ctx, level, msg, "values", v.Len())
}
