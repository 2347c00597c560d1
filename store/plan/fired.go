package plan

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

const (
	// firedAtOnce are handled at a time, and no more are taken: others may be given to other replicas.
	firedAtOnce = 32
	// firedRetry is the pause before a timer that could not be handled comes again; it grows with each time.
	firedRetry, maxFiredRetry = time.Second, time.Minute
)

// OnDue hands each timer that has fired to handle, by the id of the schedule or run that it was set for and the
// revision of its message, until ctx ends; then it returns nil. All replicas share one durable consumer: each
// timer is handled by one of them, at least once, also when none was running at its time. Timers may be handled
// at the same time and in any order; one for which handle fails comes again. It returns kv.ErrUnavailable when the
// connection was closed for good.
func (p *Plan) OnDue(ctx context.Context, handle func(ctx context.Context, id string, revision uint64) error) error {
	jet.Supervise(ctx, p.stream.JetStream().Conn(), func(ctx context.Context) bool {
		cons, err := p.stream.Durable(ctx)
		if err != nil {
			p.log.DebugContext(ctx, "timers cannot be read", "error", err)
			return false
		}
		began := time.Now()
		if err := p.readFired(ctx, cons, handle); ctx.Err() == nil {
			p.log.WarnContext(ctx, "reading timers begins again", "error", err)
		}
		return time.Since(began) > firedRetry
	})
	if ctx.Err() == nil {
		return fmt.Errorf("timers: %w", kv.ErrUnavailable)
	}
	return nil
}

func (p *Plan) readFired(ctx context.Context, cons jetstream.Consumer, handle func(context.Context, string, uint64) error) error {
	var work errgroup.Group
	work.SetLimit(firedAtOnce)
	defer func() { _ = work.Wait() }()
	r := kv.Reader(cons, firedAtOnce)
	r.Explicit = true
	return r.Run(ctx, p.stream.JetStream(), func(m *nats.Msg) error {
		id := Fired.Key(m.Subject).ID()
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		if id == "" || kv.IsMarker(m.Header) {
			return m.Ack()
		}
		work.Go(func() error {
			if err := handle(ctx, id, md.Sequence.Stream); err != nil {
				p.log.WarnContext(ctx, "what is due cannot be done; it is tried again", "id", id, "error", err)
				return m.NakWithDelay(min(firedRetry*time.Duration(md.NumDelivered), maxFiredRetry))
			}
			return m.Ack()
		})
		return nil
	})
}
