package store

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

// ErrLeaseHeld says that another living process holds the lease of the same replica id.
var ErrLeaseHeld = errors.New("lease is held by another process")

// leasePoll is how often a lease that another process holds is looked at again.
const leasePoll = 500 * time.Millisecond

// Leases is the bucket of the replicas that live: a key lives while its replica renews it.
type Leases struct {
	keys *kv.Keys
	view *kv.View[Lease]
	ttl  time.Duration
}

// Lease is what a replica says of itself.
type Lease struct {
	Version   string    `json:"version"`
	Address   string    `json:"address"`
	StartedAt time.Time `json:"started_at"`
	Draining  bool      `json:"draining"`
	// ApproveNodes is what it does with new nodes, which should be what the others do; empty: it does not tell.
	ApproveNodes string `json:"approve_nodes,omitempty"`
}

// of says whether both are of the same process.
func (l Lease) of(o Lease) bool {
	return l.Version == o.Version && l.Address == o.Address && l.StartedAt.Equal(o.StartedAt)
}

func newLeases(keys *kv.Keys, ttl time.Duration) *Leases {
	return &Leases{keys, kv.NewView(keys, decodeLease), ttl}
}

var decodeLease = kv.JSON[Lease](nil)

// View is this replica's copy of the living leases.
func (l *Leases) View() *kv.View[Lease] { return l.view }

// Acquire takes the lease of a replica id. One that lives is waited for, a little longer than a
// lease lives; the lease of a replica that drains is taken at once. It fails with ErrLeaseHeld,
// kv.ErrUnavailable, and when ctx ends.
func (l *Leases) Acquire(ctx context.Context, replicaID string, lease Lease) (*Held, error) {
	lease.StartedAt = lease.StartedAt.UTC()
	h := &Held{leases: l, id: replicaID, lease: lease, began: time.Now(), changed: jet.NewWake()}
	for deadline := time.Now().Add(l.ttl + l.ttl/6); ; {
		err := h.renew(ctx)
		if err == nil {
			return h, nil
		}
		if !isHeld(err) || !time.Now().Before(deadline) {
			return nil, err
		}
		if err := kv.Sleep(ctx, leasePoll); err != nil {
			return nil, err
		}
	}
}

// Holder reads who holds the lease of a replica id now. It fails with kv.ErrNotFound, kv.ErrUndecodable or
// kv.ErrUnavailable.
func (l *Leases) Holder(ctx context.Context, replicaID string) (Lease, error) {
	m, err := l.keys.Value(ctx, kv.KeyOf(replicaID))
	if err != nil {
		return Lease{}, err
	}
	return decodeLease("", m)
}

// Held is the lease of this process.
type Held struct {
	leases   *Leases
	id       string
	lease    Lease // Draining is kept in draining
	draining atomic.Bool
	changed  jet.Wake     // wakes Run
	began    time.Time    // what the following count from, in ns: it goes on whatever becomes of the clock
	renewed  atomic.Int64 // when the last renewal that succeeded was sent
	heard    atomic.Int64 // when the last one that was answered was sent
}

// Unheard is how long ago the last try to renew the lease was made that the leader of its stream has
// answered, with whatever: for so long this replica may have been cut off from the cluster.
func (h *Held) Unheard() time.Duration { return time.Since(h.began) - time.Duration(h.heard.Load()) }

// Overdue says whether an answer is late by more than it may be in good times.
func (h *Held) Overdue() bool { return h.Unheard() > h.leases.ttl/3+kv.AttemptTimeout }
