package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"oc-scheduler/store/kv"
)

// Liveness is the bucket of heartbeats: a node's key lives while the node renews it.
type Liveness struct {
	keys *kv.Keys
	view *kv.View[Pulse]
}

// Pulse is the last heartbeat of a node.
type Pulse struct {
	Session               string             `json:"session"`
	Sequence              uint64             `json:"sequence"` // of the heartbeat in the session; the handshake has 0
	LastSchedulerSequence uint64             `json:"last_scheduler_sequence"`
	Free                  map[string]float64 `json:"free,omitempty"`
	Queued                map[string]float64 `json:"queued,omitempty"`
}

func newLiveness(keys *kv.Keys) *Liveness { return &Liveness{keys, kv.NewView(keys, decodePulse)} }

var decodePulse = kv.JSON(func(_ kv.Key, p Pulse) error {
	if p.Session == "" {
		return errors.New("of no session")
	}
	return nil
})

// View is this replica's copy of the heartbeats.
func (l *Liveness) View() *kv.View[Pulse] { return l.view }

// Beat stores a heartbeat for ttl; fresh is false, and nothing is stored, for one that is not newer than
// the last one of its session. Whether its session is the present one is the caller's to know. It fails
// with kv.ErrUnavailable.
func (l *Liveness) Beat(ctx context.Context, nodeID string, p Pulse, ttl time.Duration) (fresh bool, err error) {
	data, err := json.Marshal(p)
	if err != nil {
		return false, err
	}
	_, err = l.keys.Change(ctx, kv.KeyOf(nodeID), func(last kv.Message) (*kv.Write, error) {
		fresh = true
		if last.Live() {
			stands, err := decodePulse("", last)
			fresh = err != nil || stands.Session != p.Session || stands.Sequence < p.Sequence
		}
		if !fresh {
			return nil, nil
		}
		return &kv.Write{Data: data, TTL: ttl}, nil
	})
	return fresh && err == nil, err
}

// Alive says whether a node's key lives, past the view; with a broken value it does not. It fails with kv.ErrUnavailable.
func (l *Liveness) Alive(ctx context.Context, nodeID string) (bool, error) {
	m, err := l.keys.Newest(ctx, kv.KeyOf(nodeID))
	if err != nil || !m.Live() {
		return false, err
	}
	_, err = decodePulse("", m)
	return err == nil, nil
}

// End removes a node's key if it is of that session; empty: of any. It fails with kv.ErrUnavailable.
func (l *Liveness) End(ctx context.Context, nodeID, session string) error {
	_, err := l.keys.Change(ctx, kv.KeyOf(nodeID), func(last kv.Message) (*kv.Write, error) {
		if !last.Live() {
			return nil, nil
		}
		if stands, err := decodePulse("", last); err == nil && session != "" && stands.Session != session {
			return nil, nil
		}
		return kv.Remove(markerTTL), nil
	})
	return err
}
