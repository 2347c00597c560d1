package orchestrator

import (
	"context"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

const (
	// handshakesAtOnce is how many handshakes a replica is at: of many more at a time, where processors are scarce,
	// all would be too late.
	handshakesAtOnce = 16
	// turnWithin is how long a node waits for its turn: what is left of the time of its request must do for the
	// handshake itself.
	turnWithin = controlTimeout / 2
)

// turns bound how fast nodes are let in, and how many at a time.
type turns struct {
	places *semaphore.Weighted
	pace   *rate.Limiter
}

func newTurns(perSecond float64) *turns {
	limit := rate.Limit(perSecond)
	return &turns{semaphore.NewWeighted(handshakesAtOnce), rate.NewLimiter(limit, max(1, int(limit)/5))}
}

// wait waits for a turn, which lasts until end is called. It fails with context.DeadlineExceeded when none comes in
// time, and at once when that is known before.
func (t *turns) wait(ctx context.Context) (end func(), err error) {
	soon, cancel := context.WithTimeout(ctx, turnWithin)
	defer cancel()
	if t.places.Acquire(soon, 1) != nil {
		return nil, context.DeadlineExceeded
	}
	end = func() { t.places.Release(1) }
	if t.pace.Wait(soon) != nil { // after the place: who gets none takes nobody's time
		end()
		return nil, context.DeadlineExceeded
	}
	return end, nil
}
