package plan

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/klauspost/compress/s2"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/recent"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

const (
	// recordBytes bounds what a replica keeps of whole records, packed. The views know the rest of what stands, but not
	// all of it: occurrences and steps would be most of a replica's memory.
	recordBytes = 64 << 20
	// knownWithin is how long NATS is waited for before what was known last counts.
	knownWithin = time.Second
)

// records are schedules, holds and runs as they are stored, by subject: those that have changed or were asked for of
// late.
type records struct {
	of      *recent.Cache[string, packed]
	scratch *[]byte // of the feed, which decodes one at a time
}

func newRecords() records { return records{recent.NewCache[string, packed](recordBytes), new([]byte)} }

type packed struct {
	revision uint64
	data     []byte
}

// kept decodes a record, and keeps it.
func kept[T any](r records, of kv.Space, decode kv.Decode[T]) kv.Decode[T] {
	return func(key kv.Key, m kv.Message) (T, error) {
		value, err := decode(key, m)
		if err == nil {
			*r.scratch = s2.Encode((*r.scratch)[:cap(*r.scratch)], m.Data)
			data := bytes.Clone(*r.scratch)
			r.of.Put(of.Prefix+string(key), packed{m.Revision, data}, len(data)+recent.Overhead)
		}
		return value, err
	}
}

// get is what was kept of a revision.
func (r records) get(subject string, revision uint64) (m kv.Message, ok bool) {
	p, ok := r.of.Get(subject)
	if !ok || p.revision != revision {
		return kv.Message{}, false
	}
	data, err := s2.Decode(nil, p.data)
	return kv.Message{Revision: revision, Data: data}, err == nil
}

// KnownSchedule is Schedule or, while NATS is away, what this replica has last known of it. It fails with
// kv.ErrUnavailable for what changed too long ago to be kept.
func (p *Plan) KnownSchedule(ctx context.Context, id string) (schedule.Record, error) {
	return known(ctx, p, p.list, p.schedules, id, DecodeSchedule)
}

// KnownHold is a hold likewise.
func (p *Plan) KnownHold(ctx context.Context, id string) (schedule.HoldRecord, error) {
	return known(ctx, p, p.held, p.holds, id, DecodeHold)
}

// KnownRun is a run likewise.
func (p *Plan) KnownRun(ctx context.Context, id string) (run.Record, error) {
	return known(ctx, p, p.runs, p.runKeys, id, DecodeRun)
}

// HeldFor is the workflow of a hold that was released, as long as the marker in its place tells; "": it does not. It
// fails with kv.ErrUnavailable.
func (p *Plan) HeldFor(ctx context.Context, id string) (string, error) {
	m, err := p.holds.Newest(ctx, kv.KeyOf(id))
	return m.Header.Get(HeaderWorkflow), err
}

func known[L, T any](ctx context.Context, p *Plan, view *kv.View[L], keys *kv.Keys, id string, decode kv.Decode[T]) (T, error) {
	soon, cancel := context.WithTimeout(ctx, knownWithin)
	defer cancel()
	value, _, err := read(soon, keys, id, decode)
	away := errors.Is(err, kv.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
	if !away || !p.loaded() {
		return value, err
	}
	if _, stands := view.Get(id); !stands {
		return value, kv.ErrNotFound
	}
	if last, _, kept := seen(p, view, keys, id, decode); kept {
		return last, nil
	}
	return value, err
}

func (p *Plan) loaded() bool {
	select {
	case <-p.Loaded():
		return true
	default:
		return false
	}
}
