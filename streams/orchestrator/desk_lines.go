package orchestrator

import (
	"context"
	"time"
)

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
	if l.missed > 0 || l.stuck && len(l.pending)+len(l.working) > 0 {
		l.missLocked(r)
		d.mu.Unlock()
		return
	}
	l.pending = append(l.pending, r)
	d.countLocked(l, l.pending[len(l.pending)-1:], 1)
	if len(l.pending) == 1 && l.working == nil {
		d.queueLocked(l)
	}
	d.mu.Unlock()
	d.ready.Up()
}

// next waits for a line that has messages, and takes some of them; false when ctx ends. The line must be
// given back with done or retry.
func (d *desk) next(ctx context.Context) (*line, bool) {
	for ctx.Err() == nil {
		l, more, wait := d.pick(time.Now())
		if l != nil {
			if more {
				d.ready.Up() // wake the next worker too
			}
			return l, true
		}
		due := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-d.ready:
		case <-due.C:
		}
		due.Stop()
	}
	return nil, false
}

// pick takes a line, or says after how long it may be worth another try.
func (d *desk) pick(now time.Time) (l *line, more bool, wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	wait = d.riseLocked(now)
	for len(d.waiting) > 0 {
		l, d.waiting = d.waiting[0], d.waiting[1:]
		if n := min(len(l.pending), batchEvents); n > 0 && l.working == nil { // else it was dropped or cleared
			l.working, l.pending = l.pending[:n:n], l.pending[n:]
			return l, len(d.waiting) > 0, 0
		}
		d.leaveLocked(l)
	}
	return nil, false, wait
}

// done gives back a line whose messages were handled.
func (d *desk) done(l *line) {
	d.mu.Lock()
	d.leaveLocked(l)
	d.countLocked(l, l.working, -1)
	l.working, l.failing, l.stuck = nil, time.Time{}, false
	again, rewind := len(l.pending) > 0, func() {}
	switch {
	case again:
		d.queueLocked(l)
	case l.missed > 0:
		rewind = d.rewind
	}
	d.mu.Unlock()
	rewind()
	d.freed.Up()
	d.ready.Up() // the next that has failed may have its turn, too
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
