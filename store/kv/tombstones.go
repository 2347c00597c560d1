package kv

import (
	"context"
	"log/slog"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Tombstones keep what was removed from coming back, in a bucket whose values have no end. A server
// that was killed reads its files again, and knows then neither which values were replaced by others
// nor, once a marker has expired, that there was one: it shows the last value before it (nats-server
// 8505). A value with an end is over by then, for no marker ends sooner (see Write.outliving). Those
// without need a marker that stands for ever; what other programs removed is given one here.
type Tombstones struct {
	keys    *Keys
	log     *slog.Logger
	pending *Pending
	told    func(of string, h nats.Header)
}

// KeepRemovals makes the tombstones of the space of a view.
func KeepRemovals[T any](v *View[T]) *Tombstones {
	t := &Tombstones{v.keys, v.keys.log.With("component", "tombstones", "bucket", v.keys.Bucket), NewPending(), func(string, nats.Header) {}}
	v.OnChange(func(of string) {
		if _, stands := v.Get(of); !stands {
			t.pending.Add(of)
		}
	})
	v.onMarker = func(key Key, h nats.Header) {
		of := key.ID()
		if of == "" {
			return
		}
		t.told(of, h)
		if h.Get(jetstream.MsgTTLHeader) != "" {
			t.pending.Add(of)
		}
	}
	return t
}

// OnMarker sets the function that is told what the marker of a removal says, before the view drops the value. It is
// set before Run.
func (t *Tombstones) OnMarker(f func(of string, h nats.Header)) { t.told = f }

// Run keeps the removals that the view sees, until ctx ends.
func (t *Tombstones) Run(ctx context.Context) error {
	return t.pending.Work(ctx, t.keep, func(of string, err error) {
		t.log.WarnContext(ctx, "a removal cannot be kept", "id", of, "error", err)
	})
}

// keep lets a removal stand for ever: its marker had an end, or there is none. What the marker says beside
// that stays.
func (t *Tombstones) keep(ctx context.Context, of string) error {
	_, err := t.keys.Change(ctx, KeyOf(of), func(last Message) (*Write, error) {
		if last.Live() || last.Revision > 0 && !last.HasTTL() {
			return nil, nil
		}
		return &Write{Marker: true, Header: ours(last.Header)}, nil
	})
	return err
}

// ours are the headers of a message that this program has put there.
func ours(h nats.Header) nats.Header {
	kept := nats.Header{}
	for name, values := range h {
		if strings.HasPrefix(name, "Oc-") {
			kept[name] = values
		}
	}
	return kept
}
