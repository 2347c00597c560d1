package planners

import (
	"context"
	"fmt"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
)

// Apply stores a planner that came over the bus: raw is its JSON and pl what it says. It is Stale,
// and nothing is written, when the stored one was generated later, or at the same time but arrived
// later; it is Late when the life in which it arrived is over, however late it is handled. Only on what the
// bucket holds may a planner be ignored: what is known from the view or the last write may be gone. It fails
// with kv.ErrTooLarge and kv.ErrUnavailable.
func (p *Planners) Apply(ctx context.Context, raw []byte, pl *planner.Planner, src origin.Source) (origin.Outcome, error) {
	if len(raw) > MaxBytes {
		return origin.Stale, fmt.Errorf("%w: planner of %d bytes, at most %d are stored", kv.ErrTooLarge, len(raw), MaxBytes)
	}
	body, err := withoutLife(raw)
	if err != nil {
		return origin.Stale, err
	}
	peerID, a := pl.PeerID(), arrivalOf(pl, src, p.clock.Now())
	var next life
	var met verdict
	meet := func(known life) *kv.Write {
		now := p.clock.Now()
		if next, met = a.meet(known, now, p.ttl); met != newer {
			return nil
		}
		w := next.write(body, now)
		p.echoes.expect(peerID, w.Data, next.record(pl))
		return w
	}
	var first *kv.Attempt
	if known, ok := p.guess(peerID); ok {
		if w := meet(known); w != nil {
			first = &kv.Attempt{Revision: known.revision, Write: w}
		}
	}
	next.revision, err = p.keys.ChangeFrom(ctx, kv.KeyOf(peerID), first, func(last kv.Message) (*kv.Write, error) {
		p.echoes.forget(peerID)
		return meet(p.lifeOf(peerID, last)), nil
	})
	if err != nil {
		return origin.Stale, err
	}
	if !next.firstSeen.IsZero() {
		p.heads.put(peerID, next)
	}
	return met.outcome(), nil
}

// guess is the newest that is known of a peer without asking: from the view, or from this
// replica's own last write if the view lags behind it. What a view that is current does not show is
// taken for new: should a marker stand, or a broken value, the write fails.
func (p *Planners) guess(peerID string) (life, bool) {
	newest, known := p.heads.newest(peerID, func() (life, bool) {
		e, seen := p.view.Get(peerID)
		return e.Value.life(e.Revision), seen
	})
	return newest, known || p.view.Current()
}

// lifeOf reads a stored message. A removal, or a value that cannot be decoded, is no life, but its
// revision is what the next write has to name.
func (p *Planners) lifeOf(peerID string, m kv.Message) life {
	switch {
	case m.Revision == 0:
		return life{}
	case !m.Live():
		return ended(m)
	}
	r, err := p.decode(kv.KeyOf(peerID), m)
	if err != nil {
		return life{revision: m.Revision}
	}
	return r.life(m.Revision)
}
