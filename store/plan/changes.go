package plan

import (
	"context"

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
