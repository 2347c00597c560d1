package orchestrator

import (
	"context"
	"sync"
	"time"

	"oc-scheduler/jet"
	"oc-scheduler/store"
)

const (
	partitionCount = 32
	// inHand and inHandBytes are what may have been read and not been handled; the largest message fits.
	inHand, inHandBytes = 4096, 33 << 20
	// batchEvents is how many messages of one node are handled in one step.
	batchEvents = 200
)

// part is a partition that this replica holds.
type part struct {
	from uint64 // up to which position all was handled when the reading began
	read bool   // the reading covers it
}

// desk holds the partitions of this replica, and the messages that its reader brings.
type desk struct {
	ready jet.Wake // a line may be waiting
	freed jet.Wake // there may be room

	mu      sync.Mutex
	created time.Time // of the stream that positions are of
	held    map[int]part
	lines   map[string]*line
	waiting []*line
	resting []*line // failed, by when they are due
	trying  int     // lines at work that have failed before
	hand    int
	bytes   int
	reached uint64 // by the reader
	behind  uint64 // messages that the reader has yet to bring
	rewind  context.CancelFunc
}

func newDesk() *desk {
	return &desk{
		ready: jet.NewWake(), freed: jet.NewWake(),
		held: map[int]part{}, lines: map[string]*line{}, rewind: func() {},
	}
}

// hold takes on partitions as they were left, and has the reader begin there.
func (d *desk) hold(left map[int]store.Partition) {
	d.mu.Lock()
	rewind := d.rewind
	for p, as := range left {
		d.held[p] = part{}
		if as.Stream.Equal(d.created) {
			d.held[p] = part{from: as.Position}
		}
	}
	d.mu.Unlock()
	if len(left) > 0 {
		rewind()
	}
}

// drop gives up a partition; what is at work of it goes on, and fails where another replica was faster.
func (d *desk) drop(p int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.held, p)
	for nodeID, l := range d.lines {
		if l.partition == p {
			l.dropped = true
			d.clearLocked(l)
			delete(d.lines, nodeID)
		}
	}
	d.freed.Up()
}

func (d *desk) clearLocked(l *line) {
	d.countLocked(l, l.pending, -1)
	l.pending = nil
}

// countLocked counts messages of a line in or out. The one that a stuck line has is not counted: it takes
// no room from the others.
func (d *desk) countLocked(l *line, some []received, by int) {
	if l.stuck {
		return
	}
	for _, r := range some {
		d.hand, d.bytes = d.hand+by, d.bytes+by*len(r.data)
	}
}

// begin starts a reading of a stream that was made at created and ends with last: what waits is
// forgotten, for it is read again. It says after which position; ok is false when there is nothing to
// read for. rewind is called when something has to be read again.
func (d *desk) begin(created time.Time, last uint64, rewind context.CancelFunc) (after uint64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.positionsLocked()
	for _, l := range d.lines {
		d.clearLocked(l)
		l.missed = 0
	}
	for _, l := range d.waiting {
		d.leaveLocked(l)
	}
	d.waiting, d.resting, d.rewind = nil, nil, rewind
	for p, position := range now {
		if !created.Equal(d.created) || position > last {
			position = 0 // it is another stream
		}
		d.held[p] = part{position, true}
		if !ok || position < after {
			after, ok = position, true
		}
	}
	d.created, d.reached, d.behind = created, after, 0
	if ok {
		d.behind = last - after // until the server says how many of them there are
	}
	return after, ok
}

// waits notes how many messages the server has for the reader.
func (d *desk) waits(behind uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.behind = behind
}

func (d *desk) holds(nodeID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, held := d.held[partitionOf(nodeID)]
	return held
}

func (d *desk) partitions() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.held)
}

func (d *desk) lag() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.behind + uint64(d.hand)
}
