package events

import (
	"context"
	"sync"
	"time"

	"oc-scheduler/jet"
)

// holds are the deliveries in this replica's hands. It bounds them, in number and in bytes, and
// tells the server that they are being worked on.
type holds struct {
	mu    sync.Mutex
	held  map[*delivery]struct{}
	bytes int

	freed jet.Wake // something was released
}

const (
	// maxHeld is what a hung replica holds back at most, and only until AckWait is over. Up to 512 there is
	// room for more: one slow lane must not stop the others.
	maxHeld      = 512 + leastBatch
	maxHeldBytes = 64 << 20
)

func newHolds() *holds {
	return &holds{held: make(map[*delivery]struct{}), freed: jet.NewWake()}
}

func (h *holds) add(d *delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[d] = struct{}{}
	h.bytes += d.size()
}

func (h *holds) release(d *delivery) {
	h.mu.Lock()
	delete(h.held, d)
	h.bytes -= d.size()
	h.mu.Unlock()
	h.freed.Up()
}

// Room is how many messages may still be asked for: none when that is only a few, or when the largest
// batch would not fit.
func (h *holds) Room() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if maxHeldBytes-h.bytes < maxBatchBytes {
		return 0
	}
	if room := maxHeld - len(h.held); room >= leastBatch {
		return room
	}
	return 0
}

// Freed tells that something was released.
func (h *holds) Freed() <-chan struct{} { return h.freed }

func (h *holds) list() []*delivery {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]*delivery, 0, len(h.held))
	for d := range h.held {
		list = append(list, d)
	}
	return list
}

// keepAlive asks the server for patience, each interval, until ctx ends.
func (h *holds) keepAlive(ctx context.Context, interval time.Duration) {
	jet.Every(ctx, interval, func(context.Context) {
		for _, d := range h.list() {
			_ = d.inProgress() // one that is lost is repeated, and a redelivery does no harm
		}
	})
}
