package store

import "context"

// Adopt rewrites a valid planner that an operator wrote by hand, without TTL or without the four
// fields, as a first insertion. Anything else is left as it is. It fails with ErrUnavailable, and
// ErrTooLarge.
func (p *Planners) Adopt(ctx context.Context, peerID string) error {
	adopted := false
	_, err := p.bucket.change(ctx, peerID, func(last message) (*write, error) {
		adopted = false
		if !last.live() {
			return nil, nil
		}
		if r, err := p.decode(peerID, last); err != nil || !r.byHand {
			return nil, nil // a broken value stays; the view reports it
		}
		body, err := withoutLife(last.Data)
		if err != nil {
			return nil, err
		}
		now := p.clock.now().UTC()
		adopted = true
		return life{firstSeen: now, received: now, expires: now.Add(p.ttl)}.write(body, now), nil
	})
	if err == nil && adopted {
		p.log.InfoContext(ctx, "planner written by hand taken in as a first insertion", "peer_id", peerID)
	}
	return err
}

// adoptAll adopts what the view finds, until ctx ends.
func (p *Planners) adoptAll(ctx context.Context) error {
	return p.pending.work(ctx, p.Adopt, func(peerID string, err error) {
		p.log.WarnContext(ctx, "planner written by hand cannot be taken in", "peer_id", peerID, "error", err)
	})
}
