package orchestrator

import "time"

// positions is, for each partition, up to where all is handled.
func (d *desk) positions() (at map[int]uint64, created time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.positionsLocked(), d.created
}

func (d *desk) positionsLocked() map[int]uint64 {
	now := make(map[int]uint64, len(d.held))
	for p, part := range d.held {
		now[p] = part.from
		if part.read {
			now[p] = max(part.from, d.reached)
		}
	}
	for _, l := range d.lines {
		now[l.partition] = min(now[l.partition], l.handled(now[l.partition]))
	}
	return now
}

// handled says whether this replica knows that all is handled which a node has sent up to a position.
func (d *desk) handled(nodeID string, position uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	part, held := d.held[partitionOf(nodeID)]
	at := part.from
	if part.read {
		at = max(at, d.reached)
	}
	if l := d.lines[nodeID]; l != nil {
		at = l.handled(at)
	}
	return held && at >= position
}
