package planners

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

const (
	// endsAtOnce are worked on at a time, and no more are taken: one that waited here could be given to
	// another replica, too, before it is begun. So many are held back, for a while, by a replica that hangs.
	endsAtOnce = 64
	// endTimeout is what handling one end may take: less than the consumer waits for an answer.
	endTimeout = 8 * time.Second
	// endRetry is the pause before an end that could not be handled comes again; it doubles.
	endRetry, maxEndRetry = time.Second, time.Minute
)

// Ends hands each end of a planner's life to handle, until ctx ends; then it returns nil. All
// replicas share one durable consumer: each end is handled by one of them, at least once, also when
// none was running at the time, and not at all when a newer planner has come meanwhile. Ends may be
// handled at the same time and in any order; one for which handle fails comes again. It returns
// kv.ErrUnavailable when the connection was closed for good.
func (p *Planners) Ends(ctx context.Context, handle func(context.Context, End) error) error {
	level := slog.LevelWarn
	jet.Supervise(ctx, p.keys.JetStream().Conn(), func(ctx context.Context) bool {
		cons, err := p.keys.Durable(ctx)
		if err != nil {
			p.log.Log(ctx, level, "ends of planners cannot be read", "error", err)
			level = slog.LevelDebug // the first of a row of failures says it all
			return false
		}
		level = slog.LevelWarn
		began := time.Now()
		if err := p.consumeEnds(ctx, cons, handle); ctx.Err() == nil {
			p.log.WarnContext(ctx, "reading the ends of planners begins again", "error", err)
		}
		return time.Since(began) > endRetry
	})
	if ctx.Err() == nil {
		return fmt.Errorf("ends of planners: %w", kv.ErrUnavailable)
	}
	return nil
}

func (p *Planners) consumeEnds(ctx context.Context, cons jetstream.Consumer, handle func(context.Context, End) error) error {
	var work sync.WaitGroup
	defer work.Wait()
	room := newEndsRoom()
	r := kv.Reader(cons, endsAtOnce)
	r.Explicit, r.Gate = true, room
	return r.Run(ctx, p.keys.JetStream(), func(m *nats.Msg) error {
		end, ok := endOf(p.keys.Key(m.Subject), m)
		if !ok {
			return m.Ack()
		}
		room.enter()
		work.Go(func() {
			defer room.leave()
			p.handleEnd(ctx, m, end, handle)
		})
		return nil
	})
}

// endsRoom is the jet.Gate of those who read ends.
type endsRoom struct {
	free  atomic.Int64
	freed chan struct{} // capacity 1
}

func newEndsRoom() *endsRoom {
	r := &endsRoom{freed: make(chan struct{}, 1)}
	r.free.Store(endsAtOnce)
	return r
}

func (r *endsRoom) enter() { r.free.Add(-1) }

func (r *endsRoom) leave() {
	r.free.Add(1)
	select {
	case r.freed <- struct{}{}:
	default:
	}
}

// Room implements jet.Gate.
func (r *endsRoom) Room() int { return int(r.free.Load()) }

// Freed implements jet.Gate.
func (r *endsRoom) Freed() <-chan struct{} { return r.freed }

// handleEnd settles one marker: handled, overtaken by something newer, or to come again.
func (p *Planners) handleEnd(ctx context.Context, m *nats.Msg, end End, handle func(context.Context, End) error) {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	stands, err := p.Stands(ctx, end)
	if stands && !end.numbered {
		stands, err = p.number(ctx, end)
	}
	if stands && err == nil {
		err = handle(ctx, end)
	}
	if err == nil {
		if err = p.acknowledge(ctx, m); err != nil {
			p.log.DebugContext(ctx, "end of a planner is handled but not acknowledged", "peer_id", end.PeerID, "error", err)
		}
		return
	}
	p.log.WarnContext(ctx, "end of a planner could not be handled; it comes again", "peer_id", end.PeerID, "error", err)
	if err := m.NakWithDelay(retryDelay(m)); err != nil {
		p.log.DebugContext(ctx, "end of a planner comes again when its time is up", "peer_id", end.PeerID, "error", err)
	}
}

// acknowledge tells the server that an end is handled, until it has understood: an answer that is lost
// would bring the end back.
func (p *Planners) acknowledge(ctx context.Context, m *nats.Msg) error {
	_, err := jet.Hedged(ctx, func(ctx context.Context) (*nats.Msg, error) {
		return p.keys.JetStream().Conn().RequestWithContext(ctx, m.Reply, []byte("+ACK"))
	})
	return err
}

// Stands reports whether the end is still the last that happened to the planner: no newer planner
// has come, and no newer end. It fails with kv.ErrUnavailable.
func (p *Planners) Stands(ctx context.Context, end End) (bool, error) {
	last, err := p.keys.Newest(ctx, kv.KeyOf(end.PeerID))
	return err == nil && last.Revision == end.Revision, err
}

// retryDelay doubles with each delivery, with jitter.
func retryDelay(m *nats.Msg) time.Duration {
	d := endRetry
	if md, err := m.Metadata(); err == nil {
		d = min(endRetry<<min(md.NumDelivered-1, 10), maxEndRetry)
	}
	return d/2 + rand.N(d)
}
