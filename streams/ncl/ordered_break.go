package ncl

import (
	"errors"
	"fmt"
	"time"
)

// fail breaks the line at a message.
func (l *line) fail(token uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failLocked(token, err)
}

// failAll breaks the line at its head. An empty line stays whole.
func (l *line) failAll(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failLocked(l.head, err)
}

func (l *line) failLocked(token uint64, err error) {
	if token < l.head || token >= l.end {
		return
	}
	if l.broken == nil {
		l.broken = fmt.Errorf("%w: %w", ErrBroken, err)
	}
	l.slot(token).future.resolve(0, err)
	l.dropLocked(token+1, l.broken)
	l.end = token
	l.wake()
}

// dropLocked fails those from a token on.
func (l *line) dropLocked(from uint64, err error) {
	for ; from < l.end; from++ {
		s := l.slot(from)
		s.future.resolve(0, err)
		s.future = nil
	}
}

// expire breaks the line when its head was sent longer than timeout ago. Else it says how soon to
// look again; 0: not before the next has joined.
func (l *line) expire(now time.Time, timeout time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.head < l.end {
		if left := timeout - now.Sub(l.slot(l.head).sent); left > 0 {
			return left
		}
		l.failLocked(l.head, ErrNoAck)
	}
	l.watched = false
	return 0
}

// clear fails all with err; nothing joins any more, and nobody who has begun will.
func (l *line) clear(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropLocked(l.head, err)
	l.head, l.end = l.next, l.next
	l.generation++
	if !errors.Is(l.broken, ErrClosed) {
		l.broken = err
	}
	l.wake()
}

// mend ends what clear with ErrReset began.
func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(l.broken, ErrReset) {
		l.broken = nil
	}
}
