package store

import (
	"context"
	"errors"
	"fmt"

	"oc-scheduler/store/planner"
)

// Apply stores a planner that came over the bus: raw is its JSON and pl what it says. It is Stale,
// and nothing is written, when the stored one was generated later, or at the same time but arrived
// later; it is Late when the life in which it arrived is over, however late it is handled. It fails
// with ErrTooLarge and ErrUnavailable.
func (p *Planners) Apply(ctx context.Context, raw []byte, pl *planner.Planner, src Source) (Outcome, error) {
	if len(raw) > MaxPlannerBytes {
		return Stale, fmt.Errorf("%w: planner of %d bytes, at most %d are stored", ErrTooLarge, len(raw), MaxPlannerBytes)
	}
	body, err := withoutLife(raw)
	if err != nil {
		return Stale, err
	}
	peerID, a := pl.PeerID(), arrivalOf(pl, src, p.clock.now())
	var tried *write
	if known, ok := p.guess(peerID); ok {
		now := p.clock.now()
		if next, verdict := a.meet(known, now, p.ttl); verdict == newer {
			tried = next.write(body, now)
			p.echoes.expect(peerID, tried.data, next.record(pl))
			next.revision, err = p.bucket.swap(ctx, peerID, known.revision, tried)
			switch {
			case err == nil:
				p.heads.put(peerID, next)
				return Stored, nil
			case !tried.lost:
				p.echoes.forget(peerID)
				if !errors.Is(err, errConflict) {
					return Stale, err
				}
			}
		}
	}
	return p.applyFresh(ctx, body, peerID, a, tried)
}

// applyFresh decides on what the bucket holds now. Only on that may a planner be ignored: what is
// known from the view or the last write may be gone. Where a write that was not acknowledged may have
// been made and overtaken, nobody knows whether the planner was ignored: it has to come again.
func (p *Planners) applyFresh(ctx context.Context, body []byte, peerID string, a arrival, tried *write) (Outcome, error) {
	outcome, next := Stored, life{}
	revision, err := p.bucket.change(ctx, peerID, func(last message) (*write, error) {
		var v verdict
		now := p.clock.now()
		next, v = a.meet(p.lifeOf(peerID, last), now, p.ttl)
		outcome = Stored
		switch {
		case v == same:
			return nil, nil
		case tried.overtaken(last):
			return nil, fmt.Errorf("%w: a write was not acknowledged, and another has followed", ErrUnavailable)
		case v == older:
			outcome = Stale
			return nil, nil
		case v == late:
			outcome = Late
			return nil, nil
		}
		w := next.write(body, now)
		if tried == nil || !tried.lost {
			tried = w
		}
		return w, nil
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
// replica's own last write if the view lags behind it. What a view that is current does not show is
// taken for new: should a marker stand, or a broken value, the write fails.
func (p *Planners) guess(peerID string) (life, bool) {
	e, seen := p.view.Get(peerID)
	if own, ok := p.heads.get(peerID); ok && (!seen || own.revision > e.Revision) {
		return own, true
	}
	return e.Value.life(e.Revision), seen || p.view.Current()
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
