package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Liveness is the bucket of heartbeats: a node's key lives while the node renews it.
type Liveness struct {
	bucket *bucket
	view   *View[Pulse]
}

// Pulse is the last heartbeat of a node.
type Pulse struct {
	Session               string             `json:"session"`
	Sequence              uint64             `json:"sequence"` // of the heartbeat in the session; the handshake has 0
	LastSchedulerSequence uint64             `json:"last_scheduler_sequence"`
	Free                  map[string]float64 `json:"free,omitempty"`
	Queued                map[string]float64 `json:"queued,omitempty"`
}

func newLiveness(o opener, b *bucket) *Liveness {
	decode := func(_ string, m *nats.Msg) (Pulse, error) { return decodePulse(m.Data) }
	return &Liveness{b, NewView(o.js, b.name, decode, o.viewOptions(b.name)...)}
}

func decodePulse(data []byte) (p Pulse, err error) {
	if err := json.Unmarshal(data, &p); err != nil {
		return Pulse{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	if p.Session == "" {
		return Pulse{}, fmt.Errorf("%w: of no session", ErrUndecodable)
	}
	return p, nil
}

// View is this replica's copy of the heartbeats.
func (l *Liveness) View() *View[Pulse] { return l.view }

// Beat stores a heartbeat for ttl; fresh is false, and nothing is stored, for one that is not newer than
// the last one of its session. Whether its session is the present one is the caller's to know. It fails
// with ErrUnavailable.
func (l *Liveness) Beat(ctx context.Context, nodeID string, p Pulse, ttl time.Duration) (fresh bool, err error) {
	data, err := json.Marshal(p)
	if err != nil {
		return false, err
	}
	_, err = l.bucket.change(ctx, nodeID, func(last message) (*write, error) {
		fresh = true
		if last.live() {
			stands, err := decodePulse(last.Data)
			fresh = err != nil || stands.Session != p.Session || stands.Sequence < p.Sequence
		}
		if !fresh {
			return nil, nil
		}
		return &write{data: data, ttl: ttl}, nil
	})
	return fresh && err == nil, err
}

// Alive says whether a node's key lives, past the view; with a broken value it does not. It fails with ErrUnavailable.
func (l *Liveness) Alive(ctx context.Context, nodeID string) (bool, error) {
	session, err := l.Session(ctx, nodeID)
	return session != "", err
}

// Session is that of a node's last heartbeat while its key lives, past the view; else empty, as with a broken
// value. It fails with ErrUnavailable.
func (l *Liveness) Session(ctx context.Context, nodeID string) (string, error) {
	m, err := l.bucket.newest(ctx, nodeID)
	if err != nil || !m.live() {
		return "", err
	}
	p, err := decodePulse(m.Data)
	if err != nil {
		return "", nil
	}
	return p.Session, nil
}

// End removes a node's key if it is of that session; empty: of any. It fails with ErrUnavailable.
func (l *Liveness) End(ctx context.Context, nodeID, session string) error {
	_, err := l.bucket.change(ctx, nodeID, func(last message) (*write, error) {
		if !last.live() {
			return nil, nil
		}
		if stands, err := decodePulse(last.Data); err == nil && session != "" && stands.Session != session {
			return nil, nil
		}
		return remove(markerTTL), nil
	})
	return err
}
