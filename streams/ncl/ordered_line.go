package ncl

import (
	"errors"
	"sync"
	"time"

	"oc-scheduler/jet"
)

var errFull = errors.New("as many are in flight as are allowed")

// line is the messages in flight, in order. Each has a token, which is never given twice: so an
// outcome that comes after its message has left the line finds nobody, before and after a reset.
type line struct {
	freed jet.Wake // there may be room, or no sense in waiting for it

	mu         sync.Mutex
	slots      []slot // a ring: that of a token is at its remainder
	head, end  uint64 // tokens of the first in flight, and behind the last
	next       uint64 // token of the next to come; it is end unless the line is broken
	generation uint64 // how often it was reset
	broken     error  // why nothing may join
	watched    bool   // somebody will look at the oldest in time
}

type slot struct {
	future *future
	sent   time.Time
	stored uint64 // where; 0: not known yet. Those before it hold back the news
}

func newLine(size int) *line {
	return &line{slots: make([]slot, size), freed: jet.NewWake()}
}

func (l *line) slot(token uint64) *slot { return &l.slots[token%uint64(len(l.slots))] }

// current is the generation that a caller belongs to who begins now.
func (l *line) current() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.generation
}

// join puts a message in the line; unwatched tells that nobody looks at the oldest yet. It fails with
// ErrReset for an earlier generation, with why the line is broken, or with errFull.
func (l *line) join(generation uint64, now time.Time) (token uint64, f *future, unwatched bool, err error) {
	f = newFuture()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case errors.Is(l.broken, ErrClosed):
		return 0, nil, false, ErrClosed
	case generation != l.generation:
		return 0, nil, false, ErrReset
	case l.broken != nil:
		return 0, nil, false, l.broken
	case l.end-l.head == uint64(len(l.slots)):
		return 0, nil, false, errFull
	}
	token, unwatched = l.next, !l.watched
	*l.slot(token) = slot{future: f, sent: now}
	l.next++
	l.end, l.watched = l.next, true
	return token, f, unwatched, nil
}

// stored says where a message was stored. Its future hears of it when all before it were.
func (l *line) stored(token, sequence uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if token < l.head || token >= l.end {
		return
	}
	l.slot(token).stored = sequence
	for ; l.head < l.end && l.slot(l.head).stored > 0; l.head++ {
		s := l.slot(l.head)
		s.future.resolve(s.stored, nil)
		s.future = nil
	}
	l.wake()
}

func (l *line) wake() {
	l.freed.Up()
}
