package orchestrator

import (
	"slices"
	"time"
)

const (
	// triesAtOnce is how many workers may be busy with lines that have failed: the others are for those
	// that have not.
	triesAtOnce = workers / 2
	// stuckAfter is how long a line fails until it is taken for one that may do so for ever.
	stuckAfter = 3 * time.Second
	// aWhile is how long a worker waits when nothing is due.
	aWhile = time.Minute
)

func (l *line) missLocked(r received) {
	if l.missed == 0 || r.position < l.missed {
		l.missed = r.position
	}
}

// retry gives back a line whose messages could not be handled, for another try after a pause.
func (d *desk) retry(l *line, now time.Time, pause time.Duration) {
	d.mu.Lock()
	d.leaveLocked(l)
	l.pending, l.working, l.due = append(l.working, l.pending...), nil, now.Add(pause)
	if l.dropped {
		d.clearLocked(l)
	}
	if l.failing.IsZero() {
		l.failing = now
	}
	if !l.stuck && now.Sub(l.failing) >= stuckAfter {
		d.trimLocked(l)
		l.stuck = true
	}
	if len(l.pending) > 0 {
		d.queueLocked(l)
	}
	d.mu.Unlock()
	d.freed.Up()
	d.ready.Up()
}

// trimLocked leaves a line its first message: the rest is read again when that is handled.
func (d *desk) trimLocked(l *line) {
	d.countLocked(l, l.pending, -1)
	first := l.pending[:min(1, len(l.pending))]
	for _, r := range l.pending[len(first):] {
		l.missLocked(r)
	}
	l.pending = slices.Clone(first)
}

// queueLocked has a line wait for a worker; one that has failed rests before.
func (d *desk) queueLocked(l *line) {
	if l.failing.IsZero() {
		d.waiting = append(d.waiting, l)
		return
	}
	at, _ := slices.BinarySearchFunc(d.resting, l.due, func(r *line, due time.Time) int { return r.due.Compare(due) })
	d.resting = slices.Insert(d.resting, at, l)
}

// riseLocked has lines wait that have rested, and says when the next one is due.
func (d *desk) riseLocked(now time.Time) time.Duration {
	for len(d.resting) > 0 && d.trying < triesAtOnce {
		l := d.resting[0]
		if wait := l.due.Sub(now); wait > 0 {
			return wait
		}
		d.resting = d.resting[1:]
		d.waiting = append(d.waiting, l)
		d.trying++
	}
	return aWhile
}

// leaveLocked notes that a line is not tried any more.
func (d *desk) leaveLocked(l *line) {
	if !l.failing.IsZero() {
		d.trying--
	}
}
