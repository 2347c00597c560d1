package store

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

// consume applies what the consumer delivers: the newest message of each key, then each change.
func (v *View[T]) consume(ctx context.Context, cons jetstream.Consumer, f *follower) error {
	if cons.CachedInfo().NumPending == 0 {
		v.complete(ctx, f.generation)
	}
	var seen uint64
	r := readerOf(cons, inFlight)
	r.Request.MaxBytes, r.Request.Heartbeat = inFlightBytes, doubtful
	r.Idle = func() {
		if !v.Current() && exhausted(ctx, cons, seen) {
			v.complete(ctx, f.generation)
		}
	}
	return r.Run(ctx, v.js, func(m *nats.Msg) error {
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		if md.Sequence.Consumer != seen+1 {
			return fmt.Errorf("%w: %d follows %d", errGap, md.Sequence.Consumer, seen)
		}
		seen = md.Sequence.Consumer
		f.revision = max(f.revision, md.Sequence.Stream)
		v.apply(ctx, m, md, f.generation)
		if md.NumPending == 0 && !v.Current() {
			v.complete(ctx, f.generation)
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

// exhausted asks whether all that the consumer had to deliver was seen. The last message of a
// snapshot, the one that says that nothing is pending, may expire before its delivery.
func exhausted(ctx context.Context, cons jetstream.Consumer, seen uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	info, err := cons.Info(ctx)
	return err == nil && info.NumPending == 0 && info.Delivered.Consumer == seen
}
