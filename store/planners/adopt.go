package planners

import (
	"context"

	"oc-scheduler/store/kv"
)

// Adopt rewrites a valid planner that an operator wrote by hand, without TTL or without the four
// fields, as a first insertion. Anything else is left as it is. It fails with kv.ErrUnavailable, and
// kv.ErrTooLarge.
func (p *Planners) Adopt(ctx context.Context, peerID string) error {
	adopted := false
	_, err := p.keys.Change(ctx, kv.KeyOf(peerID), func(last kv.Message) (*kv.Write, error) {
		adopted = false
		if !last.Live() {
			return nil, nil
		}
		if r, err := p.decode(kv.KeyOf(peerID), last); err != nil || !r.byHand {
			return nil, nil // a broken value stays; the view reports it
		}
		body, err := withoutLife(last.Data)
		if err != nil {
			return nil, err
		}
		now := p.clock.Now().UTC()
		adopted = true
		return life{firstSeen: now, received: now, expires: now.Add(p.ttl)}.write(body, now), nil
	})
	if err == nil && adopted {
		p.log.InfoContext(ctx, "planner written by hand taken in as a first insertion", "peer_id", peerID)
	}
	return err
}

// AdoptAll adopts what the view finds, until ctx ends.
func (p *Planners) AdoptAll(ctx context.Context) error {
	return p.pending.Work(ctx, p.Adopt, func(peerID string, err error) {
		p.log.WarnContext(ctx, "planner written by hand cannot be taken in", "peer_id", peerID, "error", err)
	})
}
