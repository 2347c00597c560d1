package orchestrator

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
)

// renew writes the leases that are due, all at once: the last one must not wait for the others. One that
// somebody else has written is lost; one that can't be written is kept: nobody can take it either, or
// the next look tells.
func (h *holder) renew(ctx context.Context, now time.Time) {
	positions, created := h.desk.positions()
	due := map[int]*renewal{}
	var writing errgroup.Group
	writing.SetLimit(writesAtOnce)
	for p, l := range h.held {
		if now.Sub(l.renewed) < h.ttl/3 {
			continue
		}
		w := &renewal{before: l.revision, next: store.Partition{Replica: h.self, Position: positions[p], Stream: created}}
		due[p] = w
		writing.Go(func() error {
			w.revision, w.lost, w.err = h.leases.Write(ctx, partitionKey(p), w.before, w.next)
			return nil
		})
	}
	_ = writing.Wait() // its functions return no errors
	for p, w := range due {
		switch {
		case w.err != nil:
			h.log.DebugContext(ctx, "partition's lease could not be renewed, trying again", "partition", p, "error", w.err)
		case w.lost:
			h.resolve(ctx, p)
		default:
			h.held[p] = &lease{w.revision, now}
		}
	}
}

// writesAtOnce is how many leases are written at a time.
const writesAtOnce = 16

// renewal is a lease that is being written, and what came of it.
type renewal struct {
	before, revision uint64
	next             store.Partition
	lost             bool
	err              error
}

// resolve finds out whether a lease that was written meanwhile is still this replica's: a write whose
// outcome was unknown may have been its own.
func (h *holder) resolve(ctx context.Context, p int) {
	stands, revision, err := h.leases.Get(ctx, partitionKey(p))
	switch {
	case err == nil && stands.Replica == h.self:
		h.held[p].revision = revision
		return
	case errors.Is(err, kv.ErrUndecodable): // no replica's: the next renewal mends it
		h.held[p] = &lease{revision: revision}
		h.wake.Up()
		return
	}
	h.log.DebugContext(ctx, "partition was taken over by another replica", "partition", p)
	h.lose(p)
}

// giveAway gives back what is above the share, once it has been so for a while: other replicas may just
// be starting, or dying.
func (h *holder) giveAway(ctx context.Context, now time.Time, share int) {
	if len(h.held) <= share {
		h.surplus = time.Time{}
		return
	}
	if h.surplus.IsZero() {
		h.surplus = now
	}
	if now.Sub(h.surplus) < h.ttl/2 {
		return
	}
	var some []int
	for p := range h.held {
		if len(h.held)-len(some) > share {
			some = append(some, p)
		}
	}
	h.release(ctx, some)
}

// take takes free partitions: up to the share at once, and more when nobody else has wanted them for a
// while.
func (h *holder) take(ctx context.Context, now time.Time, share int) {
	got := map[int]store.Partition{}
	for _, p := range h.order() {
		free, age := h.free(p, now)
		if h.held[p] != nil || !free || len(h.held) >= share && age < h.ttl/6 {
			continue
		}
		left, revision, err := h.leases.Get(ctx, partitionKey(p))
		if err != nil && revision == 0 {
			break // NATS is out of reach
		}
		if revision != h.seen[p].revision && revision != 0 && left.Replica != "" && left.Replica != h.self {
			continue // the view is behind
		}
		mine := left
		mine.Replica = h.self
		revision, lost, err := h.leases.Write(ctx, partitionKey(p), revision, mine)
		if err != nil {
			break
		}
		if !lost {
			h.held[p], got[p] = &lease{revision, now}, left
		}
	}
	if len(got) > 0 {
		h.log.DebugContext(ctx, "partitions taken", "taken", len(got), "held", len(h.held), "share", share)
		h.desk.hold(got)
	}
}

// order is that in which this replica tries: each begins elsewhere.
func (h *holder) order() []int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(h.self))
	order := make([]int, partitionCount)
	for i := range order {
		order[i] = (i + int(sum.Sum32()%partitionCount)) % partitionCount
	}
	return order
}

// release gives partitions back, each with how far its events were handled.
func (h *holder) release(ctx context.Context, some []int) {
	positions, created := h.desk.positions()
	for _, p := range some {
		revision := h.held[p].revision
		h.lose(p)
		left := store.Partition{Position: positions[p], Stream: created}
		if _, lost, err := h.leases.Write(ctx, partitionKey(p), revision, left); err != nil || lost {
			h.log.DebugContext(ctx, "partition is left to run out", "partition", p, "error", err)
		}
	}
}

// giveBack gives everything back.
func (h *holder) giveBack(ctx context.Context) {
	all := make([]int, 0, len(h.held))
	for p := range h.held {
		all = append(all, p)
	}
	slices.Sort(all)
	h.release(ctx, all)
}
