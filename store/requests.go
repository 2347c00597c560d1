package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	claimTTL                  = 10 * time.Minute
	firstDelay, greatestDelay = 10 * time.Second, 5 * time.Minute
)

// Requests is the bucket of claims: who asked a peer for its planner last, and when it may be asked
// again. Whoever wins the claim asks; so the fleet asks once.
type Requests struct {
	bucket *bucket
	view   *View[Claim]
}

// Claim is the right to ask one peer for its planner, as it was last used.
type Claim struct {
	RequestedAt time.Time `json:"requested_at"`
	By          string    `json:"by"`      // the replica
	Attempt     int       `json:"attempt"` // 1 for the first since a planner came
	NextAt      time.Time `json:"next_at"` // when the peer may be asked again
}

func newRequests(o opener, b *bucket) *Requests {
	decode := func(_ string, m *nats.Msg) (Claim, error) { return decodeClaim(m.Data) }
	return &Requests{b, NewView(o.js, b.name, decode, o.viewOptions(b.name)...)}
}

func decodeClaim(data []byte) (c Claim, err error) {
	if err := json.Unmarshal(data, &c); err != nil {
		return Claim{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	return c, nil
}

// View is this replica's copy of the claims.
func (r *Requests) View() *View[Claim] { return r.view }

// Claim takes the right to ask a peer now. It is won when there was no claim, or when the last one
// allows the next request; then the next one is allowed after 10 s, 20 s, 40 s … up to 5 min. When
// it is lost, the claim that stands is returned. It fails with ErrUnavailable.
func (r *Requests) Claim(ctx context.Context, peerID, by string, now time.Time) (claim Claim, won bool, err error) {
	_, err = r.bucket.change(ctx, peerID, func(last message) (*write, error) {
		claim = claimOf(last)
		if won = claim.Attempt == 0 || !now.Before(claim.NextAt); !won {
			return nil, nil
		}
		claim = claim.next(by, now.UTC())
		data, err := json.Marshal(claim)
		return &write{data: data, ttl: claimTTL}, err
	})
	return claim, won && err == nil, err
}

// Reset forgets a peer's claim, because its planner has come, or because what was asked before a
// certain time is void: then a later claim stays. A zero before is any time. It fails with
// ErrUnavailable.
func (r *Requests) Reset(ctx context.Context, peerID string, before time.Time) error {
	_, err := r.bucket.change(ctx, peerID, func(last message) (*write, error) {
		if !last.live() || !before.IsZero() && !claimOf(last).RequestedAt.Before(before) {
			return nil, nil
		}
		return remove(markerTTL), nil
	})
	return err
}

// claimOf reads a stored claim; none, and one that cannot be read, is the zero Claim.
func claimOf(m message) Claim {
	if !m.live() {
		return Claim{}
	}
	c, err := decodeClaim(m.Data)
	if err != nil {
		return Claim{} // the view reports it; the next claim mends it
	}
	return c
}

func (c Claim) next(by string, now time.Time) Claim {
	attempt := max(c.Attempt, 0) + 1
	delay := min(firstDelay<<min(attempt-1, 10), greatestDelay)
	return Claim{RequestedAt: now, By: by, Attempt: attempt, NextAt: now.Add(delay)}
}
