package demand

import (
	"context"
	"sync"
	"time"
)

// queue hands out keys that need work, each to one worker at a time. A key added again while it is
// worked on comes back once; a key that waits is not added twice; of several later times for a key
// the earliest counts.
type queue struct {
	mu      sync.Mutex
	waiting []string
	state   map[string]keyState
	timers  map[string]timer
	stopped bool
	ready   chan struct{} // capacity 1: there may be a waiting key
}

type keyState int

const (
	waiting keyState = iota + 1
	working
	workingAgain // and added meanwhile
)

type timer struct {
	*time.Timer
	due time.Time
}

func newQueue() *queue {
	return &queue{state: map[string]keyState{}, timers: map[string]timer{}, ready: make(chan struct{}, 1)}
}

func (q *queue) add(key string) {
	q.mu.Lock()
	switch q.state[key] {
	case 0:
		q.state[key] = waiting
		q.waiting = append(q.waiting, key)
	case working:
		q.state[key] = workingAgain
	}
	q.mu.Unlock()
	q.signal()
}

// addAfter adds the key in a while, at the latest.
func (q *queue) addAfter(key string, d time.Duration) {
	due := time.Now().Add(d)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		return
	}
	if t, ok := q.timers[key]; ok {
		if !due.Before(t.due) {
			return
		}
		t.Stop()
	}
	q.timers[key] = timer{time.AfterFunc(d, func() { q.fire(key, due) }), due}
}

func (q *queue) fire(key string, due time.Time) {
	q.mu.Lock()
	if t, ok := q.timers[key]; ok && t.due.Equal(due) {
		delete(q.timers, key)
	}
	q.mu.Unlock()
	q.add(key)
}

// stop forgets what was to be added later, and adds nothing later any more.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	for key, t := range q.timers {
		t.Stop()
		delete(q.timers, key)
	}
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// next waits for a key; false when ctx ends. Every key must be given back with done.
func (q *queue) next(ctx context.Context) (string, bool) {
	for ctx.Err() == nil {
		if key, more, ok := q.take(); ok {
			if more {
				q.signal() // wake the next worker too
			}
			return key, true
		}
		select {
		case <-ctx.Done():
		case <-q.ready:
		}
	}
	return "", false
}

func (q *queue) take() (key string, more, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return "", false, false
	}
	key, q.waiting = q.waiting[0], q.waiting[1:]
	q.state[key] = working
	return key, len(q.waiting) > 0, true
}

func (q *queue) done(key string) {
	q.mu.Lock()
	again := q.state[key] == workingAgain
	delete(q.state, key)
	q.mu.Unlock()
	if again {
		q.add(key)
	}
}
