package planners

import (
	"context"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
)

// Ends hands each end of a planner's life to handle, until ctx ends; then it returns nil. All
// replicas share one durable consumer: each end is handled by one of them, at least once, also when
// none was running at the time, and not at all when a newer planner has come meanwhile. Ends may be
// handled at the same time and in any order; one for which handle fails comes again. It returns
// kv.ErrUnavailable when the connection was closed for good.
func (p *Planners) Ends(ctx context.Context, handle func(context.Context, End) error) error {
	w := kv.Worker{Stream: p.keys.Stream, Log: p.log.With("of", "ends of planners")}
	w.Skip = func(m *nats.Msg) bool { return !kv.IsMarker(m.Header) } // a planner
	w.Handle = func(ctx context.Context, m *nats.Msg) error {
		end, ok := endOf(p.keys.Key(m.Subject), m)
		if !ok {
			return nil
		}
		return p.handleEnd(ctx, end, handle)
	}
	return w.Run(ctx)
}

// handleEnd has one end handled, unless something newer has overtaken it.
func (p *Planners) handleEnd(ctx context.Context, end End, handle func(context.Context, End) error) error {
	stands, err := p.Stands(ctx, end)
	if stands && !end.numbered {
		stands, err = p.number(ctx, end)
	}
	if !stands || err != nil {
		return err
	}
	return handle(ctx, end)
}

// Stands reports whether the end is still the last that happened to the planner: no newer planner
// has come, and no newer end. It fails with kv.ErrUnavailable.
func (p *Planners) Stands(ctx context.Context, end End) (bool, error) {
	last, err := p.keys.Newest(ctx, kv.KeyOf(end.PeerID))
	return err == nil && last.Revision == end.Revision, err
}
