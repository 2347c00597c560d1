package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"oc-scheduler/store/planner"
)

// MaxPlannerBytes is the largest planner that is stored.
const MaxPlannerBytes = 4 << 20

// Planners is the bucket of what each peer still has. A planner lives for a fixed time from its
// first insertion, however often it is replaced.
type Planners struct {
	bucket  *bucket
	view    *View[PlannerRecord]
	ttl     time.Duration
	log     *slog.Logger
	heads   heads
	pending pending // written by hand, to be adopted
}

func newPlanners(o opener, b *bucket) *Planners {
	p := &Planners{bucket: b, ttl: o.cfg.PlannerTTL, log: o.log.With("component", "planners"), heads: newHeads(), pending: newPending()}
	p.view = NewView(o.js, b.name, p.decodeMsg, o.viewOptions(b.name)...)
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

// Apply stores a planner that came over the bus: raw is its JSON and pl what it says. It is Stale,
// and nothing is written, when the stored one was generated later, or at the same time but arrived
// later; and when the life in which it arrived is over, however late it is handled. It fails with
// ErrTooLarge and ErrUnavailable.
func (p *Planners) Apply(ctx context.Context, raw []byte, pl *planner.Planner, src Source) (Outcome, error) {
	if len(raw) > MaxPlannerBytes {
		return Stale, fmt.Errorf("%w: planner of %d bytes, at most %d are stored", ErrTooLarge, len(raw), MaxPlannerBytes)
	}
	body, err := withoutLife(raw)
	if err != nil {
		return Stale, err
	}
	peerID, a := pl.PeerID(), arrivalOf(pl, src)
	if known, ok := p.guess(peerID); ok {
		if next, verdict := a.meet(known, time.Now(), p.ttl); verdict == newer {
			next.revision, err = p.bucket.swap(ctx, peerID, known.revision, next.write(body))
			switch {
			case err == nil:
				p.heads.put(peerID, next)
				return Stored, nil
			case !errors.Is(err, errConflict) && !outcomeUnknown(err):
				return Stale, err
			}
		}
	}
	return p.applyFresh(ctx, body, peerID, a)
}

// applyFresh decides on what the bucket holds now. Only on that may a planner be ignored: what is
// known from the view or the last write may be gone.
func (p *Planners) applyFresh(ctx context.Context, body []byte, peerID string, a arrival) (Outcome, error) {
	outcome, next := Stored, life{}
	revision, err := p.bucket.change(ctx, peerID, func(last message) (*write, error) {
		var v verdict
		next, v = a.meet(p.lifeOf(peerID, last), time.Now(), p.ttl)
		outcome = Stored
		switch v {
		case older:
			outcome = Stale
			return nil, nil
		case same:
			return nil, nil
		}
		return next.write(body), nil
	})
	if err != nil {
		return Stale, err
	}
	if next.revision = revision; !next.firstSeen.IsZero() {
		p.heads.put(peerID, next)
	}
	return outcome, nil
}

// guess is the newest that is known of a peer without asking: from the view, or from this
// replica's own last write if the view lags behind it.
func (p *Planners) guess(peerID string) (life, bool) {
	e, seen := p.view.Get(peerID)
	if own, ok := p.heads.get(peerID); ok && (!seen || own.revision > e.Revision) {
		return own, true
	}
	return e.Value.life(e.Revision), seen
}

// lifeOf reads a stored message. A removal, or a value that cannot be decoded, is no life, but its
// revision is what the next write has to name.
func (p *Planners) lifeOf(peerID string, m message) life {
	switch {
	case m.Revision == 0:
		return life{}
	case !m.live():
		return ended(m)
	}
	r, err := p.decode(peerID, m)
	if err != nil {
		return life{revision: m.Revision}
	}
	return r.life(m.Revision)
}

// End ends the life of a planner that nobody watches, whether or not it has one: a marker is written
// that every replica sees, and whose reader (Ends) tells the peer. still is asked before each attempt; nothing is
// written once it says no. It fails with the errors of still and ErrUnavailable.
func (p *Planners) End(ctx context.Context, peerID string, still func(context.Context) (bool, error)) error {
	_, err := p.bucket.change(ctx, peerID, func(message) (*write, error) {
		if ok, err := still(ctx); err != nil || !ok {
			return nil, err
		}
		return &write{marker: true, ttl: plannerMarkerTTL, reason: Unwatched.String()}, nil
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
		return &write{marker: true, ttl: plannerMarkerTTL, reason: Departed.String()}, nil
	})
	return err
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
