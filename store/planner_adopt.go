package store

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// adoptionJitter spreads the replicas, all of which see what an operator wrote.
const adoptionJitter = 250 * time.Millisecond

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
		now := time.Now().UTC()
		adopted = true
		return life{firstSeen: now, received: now, expires: now.Add(p.ttl)}.write(body), nil
	})
	if err == nil && adopted {
		p.log.InfoContext(ctx, "planner written by hand taken in as a first insertion", "peer_id", peerID)
	}
	return err
}

// adoptAll adopts what the view finds, until ctx ends.
func (p *Planners) adoptAll(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.pending.wake:
		}
		if sleep(ctx, rand.N(adoptionJitter)) != nil {
			return nil
		}
		for _, peerID := range p.pending.take() {
			if err := p.Adopt(ctx, peerID); err != nil && ctx.Err() == nil {
				p.log.WarnContext(ctx, "planner written by hand could not be taken in", "peer_id", peerID, "error", err)
				if errors.Is(err, ErrUnavailable) {
					p.pending.add(peerID)
				}
			}
		}
	}
}

// pending is a set of peers that somebody has to look at. It holds at most the keys of the bucket.
type pending struct {
	wake  chan struct{}
	mu    sync.Mutex
	peers map[string]struct{}
}

func newPending() pending {
	return pending{wake: make(chan struct{}, 1), peers: map[string]struct{}{}}
}

func (q *pending) add(peerID string) {
	q.mu.Lock()
	q.peers[peerID] = struct{}{}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *pending) take() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := slices.Collect(maps.Keys(q.peers))
	clear(q.peers)
	return out
}
