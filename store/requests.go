package store

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"oc-scheduler/store/kv"
)

const (
	claimTTL                  = 10 * time.Minute
	firstDelay, greatestDelay = 10 * time.Second, 5 * time.Minute
)

// Requests is the bucket of claims: who asked a peer for its planner last, and when it may be asked
// again. Whoever wins the claim asks; so the fleet asks once.
type Requests struct {
	keys *kv.Keys
	view *kv.View[Claim]
}

// Claim is the right to ask one peer for its planner, as it was last used.
type Claim struct {
	RequestedAt time.Time `json:"requested_at"`
	By          string    `json:"by"`      // the replica
	Attempt     int       `json:"attempt"` // 1 for the first since a planner, or the peer, came
	NextAt      time.Time `json:"next_at"` // when the peer may be asked again though nothing has happened
	// Connections is how often nodes of the peer had connected by then; Connected says that the peer was
	// asked because one just had.
	Connections uint64 `json:"connections,omitempty"`
	Connected   bool   `json:"connected,omitempty"`
}

// Asking is who would ask a peer now, and what has happened that the growing delays shall not hold up.
type Asking struct {
	By          string // the replica
	Connections uint64 // how often nodes of the peer have connected
	// After is the revision of the claim that stood when somebody began to want the planner: a later one
	// was made for him, too. Anytime says that he begins to want it now.
	After uint64
}

// Anytime is an Asking.After that no claim is later than.
const Anytime = math.MaxUint64

func newRequests(keys *kv.Keys) *Requests { return &Requests{keys, kv.NewView(keys, decodeClaim)} }

var decodeClaim = kv.JSON[Claim](nil)

// View is this replica's copy of the claims.
func (r *Requests) View() *kv.View[Claim] { return r.view }

// Claim takes the right to ask a peer now. It is won when there was no claim; 10 s after the last
// request by who began to want the planner since; at once when a node of the peer has connected since,
// but 10 s after a request that was made for that reason; and else 10 s, 20 s, 40 s … up to 5 min after
// the last. When it is lost, the claim that stands is returned. next is when the peer may be asked
// again. It fails with kv.ErrUnavailable.
func (r *Requests) Claim(ctx context.Context, peerID string, asking Asking, now time.Time) (claim Claim, next time.Time, won bool, err error) {
	_, err = r.keys.Change(ctx, kv.KeyOf(peerID), func(last kv.Message) (*kv.Write, error) {
		claim = claimOf(last)
		next = claim.opens(asking, last.Revision)
		if won = claim.Attempt == 0 || !now.Before(next); !won {
			return nil, nil
		}
		claim = claim.next(asking, now.UTC())
		next = claim.NextAt
		data, err := json.Marshal(claim)
		return &kv.Write{Data: data, TTL: claimTTL}, err
	})
	return claim, next, won && err == nil, err
}

// Reset forgets a peer's claim, because its planner has come, or because what was asked before a
// certain time is void: then a later claim stays. A zero before is any time. It fails with
// kv.ErrUnavailable.
func (r *Requests) Reset(ctx context.Context, peerID string, before time.Time) error {
	_, err := r.keys.Change(ctx, kv.KeyOf(peerID), func(last kv.Message) (*kv.Write, error) {
		if !last.Live() || !before.IsZero() && !claimOf(last).RequestedAt.Before(before) {
			return nil, nil
		}
		return kv.Remove(markerTTL), nil
	})
	return err
}

// claimOf reads a stored claim; none, and one that cannot be read, is the zero Claim.
func claimOf(m kv.Message) Claim {
	if !m.Live() {
		return Claim{}
	}
	c, err := decodeClaim("", m)
	if err != nil {
		return Claim{} // the view reports it; the next claim mends it
	}
	return c
}

// opens is when the one who asks may, as far as this claim, of that revision, has a say.
func (c Claim) opens(asking Asking, revision uint64) time.Time {
	at, least := c.NextAt, c.RequestedAt.Add(firstDelay)
	switch connected := asking.Connections > c.Connections; {
	case connected && !c.Connected:
		at = c.RequestedAt
	case connected, revision <= asking.After:
		at = least
	}
	return earlier(at, c.NextAt)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// next is the claim that follows. A peer that has just come is a new one, as far as delays go.
func (c Claim) next(asking Asking, now time.Time) Claim {
	connected := c.Attempt > 0 && asking.Connections > c.Connections
	attempt := max(c.Attempt, 0) + 1
	if connected {
		attempt = 1
	}
	delay := min(firstDelay<<min(attempt-1, 10), greatestDelay)
	return Claim{
		RequestedAt: now, By: asking.By, Attempt: attempt, NextAt: now.Add(delay),
		Connections: max(asking.Connections, c.Connections), Connected: connected,
	}
}
