package orchestrator

import "context"

// take takes in what the reader brings, in the order of positions.
func (d *desk) take(r received, behind uint64) {
	p := partitionOf(r.nodeID)
	d.mu.Lock()
	d.reached, d.behind = r.position, behind
	if part := d.held[p]; !part.read || r.position <= part.from {
		d.mu.Unlock()
		return
	}
	l := d.lines[r.nodeID]
	if l == nil {
		l = &line{nodeID: r.nodeID, partition: p}
		d.lines[r.nodeID] = l
	}
	l.pending = append(l.pending, r)
	d.hand, d.bytes = d.hand+1, d.bytes+len(r.data)
	if len(l.pending) == 1 && l.working == nil {
		d.waiting = append(d.waiting, l)
	}
	d.mu.Unlock()
	signal(d.ready)
}

// next waits for a line that has messages, and takes some of them; false when ctx ends. The line must be
// given back with done.
func (d *desk) next(ctx context.Context) (*line, bool) {
	for ctx.Err() == nil {
		if l, more := d.pick(); l != nil {
			if more {
				signal(d.ready) // wake the next worker too
			}
			return l, true
		}
		select {
		case <-ctx.Done():
		case <-d.ready:
		}
	}
	return nil, false
}

func (d *desk) pick() (l *line, more bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.waiting) > 0 {
		l, d.waiting = d.waiting[0], d.waiting[1:]
		if n := min(len(l.pending), batchEvents); n > 0 && l.working == nil { // else it was dropped or cleared
			l.working, l.pending = l.pending[:n:n], l.pending[n:]
			return l, len(d.waiting) > 0
		}
	}
	return nil, false
}

// done gives back a line whose messages were handled.
func (d *desk) done(l *line) {
	d.mu.Lock()
	for _, r := range l.working {
		d.hand, d.bytes = d.hand-1, d.bytes-len(r.data)
	}
	l.working = nil
	again := len(l.pending) > 0
	if again {
		d.waiting = append(d.waiting, l)
	}
	d.mu.Unlock()
	signal(d.freed)
	if again {
		signal(d.ready)
	}
}

func (d *desk) isDropped(l *line) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return l.dropped
}

// Room is how many messages may be read now.
func (d *desk) Room() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bytes >= inHandBytes {
		return 0
	}
	return inHand - d.hand
}

// Freed tells that there may be room.
func (d *desk) Freed() <-chan struct{} { return d.freed }

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
