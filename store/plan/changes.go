package plan

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
)

// Change is what has become of a key: a value, or the marker that it is there no more.
type Change struct {
	Kind kv.Space // Schedules, Bookings, Holds or Runs
	Key  kv.Key
	kv.Message
}

// Lapsed says that the value has gone because its time was up.
func (c *Change) Lapsed() bool { return kv.Lapsed(c.Header) }

// OnChange hands what becomes of schedules, bookings, holds and runs to handle, until ctx ends; then it returns nil. All
// replicas share one durable consumer: each change is handled by one of them, at least once, also when none was running
// at its time; one that another has followed meanwhile may be left out. They may be handled at the same time and in any
// order; one for which handle fails comes again. It returns kv.ErrUnavailable when the connection was closed for good.
func (p *Plan) OnChange(ctx context.Context, handle func(context.Context, Change) error) error {
	w := kv.Worker{Stream: p.stream, Durable: changesConsumer.Durable, Log: p.log.With("of", "changes")}
	w.Skip = p.followed
	w.Handle = func(ctx context.Context, m *nats.Msg) error {
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		for _, kind := range []kv.Space{Schedules, Bookings, Holds, Runs} {
			if kind.Holds(m.Subject) {
				return handle(ctx, Change{kind, kind.Key(m.Subject), kv.Message{
					Revision: md.Sequence.Stream, Header: m.Header, Data: m.Data, Stored: md.Timestamp,
				}})
			}
		}
		return nil
	}
	return w.Run(ctx)
}

// followed says whether a change is one that another has followed, as the views show it: that one is handed out, too. Where
// another stream has taken the place of theirs, what they show is older, however high its revision.
func (p *Plan) followed(m *nats.Msg) bool {
	md, err := m.Metadata()
	if err != nil {
		return false
	}
	revision, stored := p.newest(m.Subject)
	return revision > md.Sequence.Stream && !stored.Before(md.Timestamp)
}

// newest is the revision of what the views show on a subject, and since when it stands; 0: nothing.
func (p *Plan) newest(subject string) (revision uint64, stored time.Time) {
	switch {
	case Schedules.Holds(subject):
		return placeOf(p.list, Schedules.Key(subject))
	case Bookings.Holds(subject):
		return placeOf(p.booked, Bookings.Key(subject))
	case Holds.Holds(subject):
		return placeOf(p.held, Holds.Key(subject))
	case Runs.Holds(subject):
		return placeOf(p.runs, Runs.Key(subject))
	}
	return 0, time.Time{}
}

func placeOf[T any](v *kv.View[T], key kv.Key) (uint64, time.Time) {
	e, _ := v.At(key)
	return e.Revision, e.Stored
}
