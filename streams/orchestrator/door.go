package orchestrator

import (
	"sync"

	"golang.org/x/time/rate"
)

const (
	// A node may ask for a handshake once a second, and for a few in a row: one that asks more often takes
	// the turns of others.
	handshakesOfNode, handshakesInARow = 1, 5
	// doorKeeps is how many nodes are remembered before those are forgotten that have not come for long.
	doorKeeps = 1024
)

// door lets each node in by turns: one handshake at a time, and not too many.
type door struct {
	mu     sync.Mutex
	guests map[string]*guest
	full   int // sweep when there are so many
}

type guest struct {
	inside bool
	pace   *rate.Limiter
}

func newDoor() *door { return &door{guests: map[string]*guest{}, full: doorKeeps} }

// enter says whether a node may come in now; then it must leave.
func (d *door) enter(nodeID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.guests[nodeID]
	if g == nil {
		d.sweepLocked()
		g = &guest{pace: rate.NewLimiter(handshakesOfNode, handshakesInARow)}
		d.guests[nodeID] = g
	}
	if g.inside || !g.pace.Allow() {
		return false
	}
	g.inside = true
	return true
}

func (d *door) leave(nodeID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.guests[nodeID].inside = false
}

// sweepLocked forgets those who would be met as strangers are.
func (d *door) sweepLocked() {
	if len(d.guests) < d.full {
		return
	}
	for nodeID, g := range d.guests {
		if !g.inside && g.pace.Tokens() >= handshakesInARow {
			delete(d.guests, nodeID)
		}
	}
	d.full = max(doorKeeps, 2*len(d.guests))
}
