package orchestrator

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
)

// holder gets this replica its share of the partitions, and keeps the leases of those that it holds.
//
// A lease is a value that its holder writes anew every third of the TTL. One that stays the same for a
// TTL, as this replica sees it, is free; no clocks are compared, and an outage of NATS, in which nobody
// can write, frees nothing.
type holder struct {
	self     string
	replicas *kv.View[store.Lease]
	leases   *store.Partitions
	desk     *desk
	ttl      time.Duration
	log      *slog.Logger
	wake     jet.Wake

	held    map[int]*lease
	seen    map[int]*sighting
	alive   map[string]*sighting
	steady  time.Time // when the view became current; zero: it is not
	surplus time.Time // since when this replica has had too much
}

// lease is one that this replica holds.
type lease struct {
	revision uint64
	renewed  time.Time // when the last renewal that succeeded was sent
}

// sighting is since when a key has been as it is.
type sighting struct {
	revision uint64
	since    time.Time
}

func (s *sighting) look(revision uint64, now time.Time) *sighting {
	if s == nil || s.revision != revision {
		return &sighting{revision, now}
	}
	return s
}

func newHolder(st *store.Store, d *desk, cfg Config) *holder {
	h := &holder{
		self: cfg.ReplicaID, replicas: st.Leases.View(), leases: st.Partitions, desk: d,
		ttl: cfg.LeaseTTL, log: cfg.Logger, wake: jet.NewWake(),
		held: map[int]*lease{}, seen: map[int]*sighting{}, alive: map[string]*sighting{},
	}
	h.leases.View().OnChange(func(string) { h.wake.Up() })
	return h
}

func partitionKey(p int) string { return fmt.Sprintf("%02d", p) }

// run keeps leases until ctx ends. What is held then, giveBack gives back.
func (h *holder) run(ctx context.Context) {
	tick := time.NewTicker(h.ttl / 15)
	defer tick.Stop()
	for {
		h.turn(ctx, time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-h.wake:
		}
	}
}

// turn does all that is due.
func (h *holder) turn(ctx context.Context, now time.Time) {
	if !h.leases.View().Current() {
		h.steady = time.Time{}
	} else if h.steady.IsZero() {
		h.steady = now
	}
	h.look(now)
	h.renew(ctx, now)
	if h.steady.IsZero() {
		return
	}
	share := h.share(now)
	h.giveAway(ctx, now, share)
	h.take(ctx, now, share)
}

// look notes what the view shows.
func (h *holder) look(now time.Time) {
	for p := range partitionCount {
		entry, _ := h.leases.View().Get(partitionKey(p))
		h.seen[p] = h.seen[p].look(entry.Revision, now)
		if mine := h.held[p]; mine != nil && entry.Revision > mine.revision && entry.Value.Replica != h.self {
			h.lose(p)
		}
	}
	replicas := h.replicas.Page("", math.MaxInt)
	alive := make(map[string]*sighting, len(replicas))
	for _, r := range replicas {
		if !r.Value.Draining {
			alive[r.ID] = h.alive[r.ID].look(r.Revision, now)
		}
	}
	h.alive = alive
}

func (h *holder) lose(p int) {
	delete(h.held, p)
	h.desk.drop(p)
}

// share is how many partitions are this replica's part. One whose own lease is not renewed any more is
// not counted, though it has some life left.
func (h *holder) share(now time.Time) int {
	n := 0
	for id, s := range h.alive {
		if id == h.self || now.Sub(s.since) < h.ttl {
			n++
		}
	}
	n = max(n, 1)
	return (partitionCount + n - 1) / n
}

// free says whether a partition may be taken, and for how long it has been so.
func (h *holder) free(p int, now time.Time) (bool, time.Duration) {
	entry, stands := h.leases.View().Get(partitionKey(p))
	since := h.seen[p].since
	switch {
	case !stands || entry.Value.Replica == "":
	case entry.Value.Replica == h.self: // an earlier life's, or a renewal of unknown outcome
	default:
		since = since.Add(h.ttl)
		if back := h.steady.Add(h.ttl / 3); back.After(since) { // who lives renews soon after an outage
			since = back
		}
	}
	return !now.Before(since), now.Sub(since)
}
