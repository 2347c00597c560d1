package store

import (
	"context"
	"log/slog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/id"
)

// tombstones keep what was removed from coming back, in a bucket whose values have no end. A server
// that was killed reads its files again, and knows then neither which values were replaced by others
// nor, once a marker has expired, that there was one: it shows the last value before it (nats-server
// 8505). A value with an end is over by then, for no marker ends sooner (see write.outlive). Those
// without need a marker that stands for ever; what other programs removed is given one here.
type tombstones struct {
	bucket  *bucket
	log     *slog.Logger
	pending pending
}

func keepRemovals[T any](o opener, b *bucket, v *View[T]) *tombstones {
	t := &tombstones{b, o.log.With("component", "tombstones", "bucket", b.name), newPending()}
	v.OnChange(func(of string) {
		if _, stands := v.Get(of); !stands {
			t.pending.add(of)
		}
	})
	v.onMarker = func(key string, h nats.Header) {
		if of, err := id.FromKey(key); err == nil && h.Get(jetstream.MsgTTLHeader) != "" {
			t.pending.add(of)
		}
	}
	return t
}

// run keeps the removals that the view sees, until ctx ends.
func (t *tombstones) run(ctx context.Context) error {
	return t.pending.work(ctx, t.keep, func(of string, err error) {
		t.log.WarnContext(ctx, "a removal cannot be kept", "id", of, "error", err)
	})
}

// keep lets a removal stand for ever: its marker had an end, or there is none.
func (t *tombstones) keep(ctx context.Context, of string) error {
	_, err := t.bucket.change(ctx, of, func(last message) (*write, error) {
		if last.live() || last.Revision > 0 && last.Header.Get(jetstream.MsgTTLHeader) == "" {
			return nil, nil
		}
		return &write{marker: true, source: sourceOf(last.Header)}, nil
	})
	return err
}
