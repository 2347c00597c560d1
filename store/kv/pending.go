package kv

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"oc-scheduler/jet"
)

const (
	// pendingJitter spreads the replicas, all of which see what is to be done.
	pendingJitter = 250 * time.Millisecond
	// pendingRetry is the pause before what could not be written is tried again.
	pendingRetry = 2 * time.Second
)

// Pending is a set of identifiers that somebody has to look at. It holds at most the keys of a bucket.
type Pending struct {
	wake jet.Wake
	mu   sync.Mutex
	ids  map[string]struct{}
}

// NewPending makes an empty set.
func NewPending() *Pending {
	return &Pending{wake: jet.NewWake(), ids: map[string]struct{}{}}
}

// Add notes identifiers; it does not block.
func (q *Pending) Add(ids ...string) {
	q.mu.Lock()
	for _, of := range ids {
		q.ids[of] = struct{}{}
	}
	q.mu.Unlock()
	q.wake.Up()
}

func (q *Pending) take() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := slices.Collect(maps.Keys(q.ids))
	clear(q.ids)
	return out
}

// Work has all that is added handled until ctx ends, again when NATS was out of reach; then it returns
// nil. failed is told of other errors.
func (q *Pending) Work(ctx context.Context, handle func(context.Context, string) error, failed func(string, error)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-q.wake:
		}
		if Sleep(ctx, rand.N(pendingJitter)) != nil {
			return nil
		}
		var again []string
		for _, of := range q.take() {
			switch err := handle(ctx, of); {
			case ctx.Err() != nil:
				return nil
			case errors.Is(err, ErrUnavailable):
				again = append(again, of)
			case err != nil:
				failed(of, err)
			}
		}
		if len(again) > 0 {
			if Sleep(ctx, pendingRetry) != nil {
				return nil
			}
			q.Add(again...)
		}
	}
}
