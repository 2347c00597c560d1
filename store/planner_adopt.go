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

const (
	// adoptionJitter spreads the replicas, all of which see what an operator wrote.
	adoptionJitter = 250 * time.Millisecond
	// adoptionRetry is the pause before what could not be written is tried again.
	adoptionRetry = 2 * time.Second
)

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
		if again := p.adopt(ctx, p.pending.take()); len(again) > 0 {
			if sleep(ctx, adoptionRetry) != nil {
				return nil
			}
			p.pending.add(again...)
		}
	}
}

// adopt returns the peers to try again, because NATS was out of reach.
func (p *Planners) adopt(ctx context.Context, peerIDs []string) (again []string) {
	for _, peerID := range peerIDs {
		switch err := p.Adopt(ctx, peerID); {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrUnavailable):
			again = append(again, peerID)
		case err != nil:
			p.log.WarnContext(ctx, "planner written by hand cannot be taken in", "peer_id", peerID, "error", err)
		}
	}
	return again
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

func (q *pending) add(peerIDs ...string) {
	q.mu.Lock()
	for _, peerID := range peerIDs {
		q.peers[peerID] = struct{}{}
	}
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
