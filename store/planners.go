package store

import (
	"context"
	"log/slog"
	"time"
)

// MaxPlannerBytes is the largest planner that is stored.
const MaxPlannerBytes = 4 << 20

// Planners is the bucket of what each peer still has. A planner lives for a fixed time from its
// first insertion, however often it is replaced.
type Planners struct {
	bucket  *bucket
	view    *View[PlannerRecord]
	ttl     time.Duration
	clock   *clock
	onBus   func(context.Context) (Source, error)
	log     *slog.Logger
	heads   heads
	echoes  echoes
	pending pending // written by hand, to be adopted
}

func newPlanners(o opener, b *bucket) *Planners {
	p := &Planners{bucket: b, ttl: o.cfg.PlannerTTL, clock: o.clock, onBus: o.cfg.LastOnBus, log: o.log.With("component", "planners"), heads: newHeads(), echoes: newEchoes(), pending: newPending()}
	p.view = NewView(o.js, b.name, p.decodeMsg, o.viewOptions(b.name)...)
	p.view.vanished = p.lapseEach
	p.view.OnChange(func(peerID string) {
		e, ok := p.view.Get(peerID)
		p.heads.seen(peerID, e.Revision, !ok)
		if ok && e.Value.byHand {
			p.pending.add(peerID)
		}
	})
	return p
}

// View is this replica's copy of the planners.
func (p *Planners) View() *View[PlannerRecord] { return p.view }

// End ends the life of a planner that nobody watches, whether or not it has one: a marker is written
// that every replica sees, and whose reader (Ends) tells the peer. end names it: the marker of an end that
// has a name is written once, while no planner comes after it. still is asked before each attempt; nothing is written
// once it says no. It fails with the errors of still and ErrUnavailable.
func (p *Planners) End(ctx context.Context, peerID, end string, still func(context.Context) (bool, error)) error {
	_, err := p.bucket.change(ctx, peerID, func(last message) (*write, error) {
		if end != "" && isMarker(last.Header) && last.Header.Get(endHeader) == end {
			return nil, nil
		}
		if ok, err := still(ctx); err != nil || !ok {
			return nil, err
		}
		w := p.marker(ctx, peerID, last, Unwatched)
		w.end = end
		return w, nil
	})
	return err
}

// Depart ends the life of a peer's planner, if it has one that came after since, because the peer has said
// goodbye. It fails with ErrUnavailable.
func (p *Planners) Depart(ctx context.Context, peerID string, since time.Time) error {
	_, err := p.bucket.change(ctx, peerID, func(last message) (*write, error) {
		if !last.live() {
			return nil, nil
		}
		if r, err := p.decode(peerID, last); err == nil && r.ReceivedAt.Before(since) {
			return nil, nil
		}
		return p.marker(ctx, peerID, last, Departed), nil
	})
	return err
}

// marker ends what stands. It tells which arrivals are of what it ends.
func (p *Planners) marker(ctx context.Context, peerID string, last message, cause Cause) *write {
	over := p.lifeOf(peerID, last).over()
	switch newest, err := p.onBus(ctx); {
	case err != nil:
		p.log.DebugContext(ctx, "the bus does not tell its newest event; a planner on its way may outlive the end", "peer_id", peerID, "error", err)
	case newest.Seq > 0:
		over.seq, over.received = newest.Seq, newest.Time
	}
	return p.marked(cause, past{seq: over.seq, received: over.received})
}

// Raw returns the stored value itself. It fails with ErrNotFound, with ErrUndecodable for a broken
// one, which counts as none, and with ErrUnavailable.
func (p *Planners) Raw(ctx context.Context, peerID string) (value []byte, revision uint64, err error) {
	m, err := p.bucket.value(ctx, peerID)
	if err == nil {
		_, err = p.decode(peerID, m)
	}
	if err != nil {
		return nil, 0, err
	}
	return m.Data, m.Revision, nil
}
