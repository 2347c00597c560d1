package plan

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
)

// OnDue hands each timer that has fired to handle, by the id of the schedule or run that it was set for and the
// revision of its message, until ctx ends; then it returns nil. All replicas share one durable consumer: each
// timer is handled by one of them, at least once and not before its time, also when none was running then. Timers may be
// handled at the same time and in any order; one for which handle fails comes again. It returns kv.ErrUnavailable when the
// connection was closed for good.
func (p *Plan) OnDue(ctx context.Context, handle func(ctx context.Context, id string, revision uint64) error) error {
	w := kv.Worker{Stream: p.stream, Durable: dueConsumer.Durable, Log: p.log.With("of", "timers")}
	w.Skip = func(m *nats.Msg) bool { return kv.IsMarker(m.Header) }
	w.Handle = func(ctx context.Context, m *nats.Msg) error {
		id := Fired.Key(m.Subject).ID()
		if id == "" {
			return nil
		}
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		if err := kv.Sleep(ctx, p.left(m)); err != nil {
			return err
		}
		return handle(ctx, id, md.Sequence.Stream)
	}
	return w.Run(ctx)
}

// left is how long a timer has fired before its time.
func (p *Plan) left(m *nats.Msg) time.Duration {
	at, err := time.Parse(time.RFC3339Nano, m.Header.Get(HeaderDue))
	if err != nil { // one of a release that had them fire at their time
		return 0
	}
	return min(at.Sub(p.Now()), Ahead)
}
