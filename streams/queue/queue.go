// Package queue hands out keys that need work, again and again, and says when to try again what failed.
package queue

import (
	"context"
	"sync"
	"time"

	"oc-scheduler/jet"
)

// Queue hands out keys that need work, each to one worker at a time. A key added again while it is
// worked on comes back once; a key that waits is not added twice; of several later times for a key
// the earliest counts.
type Queue struct {
	mu      sync.Mutex
	waiting []string
	state   map[string]keyState
	timers  map[string]timer
	stopped bool
	ready   jet.Wake // there may be a waiting key
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

// New makes an empty Queue. Stop releases it.
func New() *Queue {
	return &Queue{state: map[string]keyState{}, timers: map[string]timer{}, ready: jet.NewWake()}
}

// Add adds a key. It does not block.
func (q *Queue) Add(key string) {
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

// AddAfter adds the key in a while, at the latest.
func (q *Queue) AddAfter(key string, d time.Duration) {
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

func (q *Queue) fire(key string, due time.Time) {
	q.mu.Lock()
	if t, ok := q.timers[key]; ok && t.due.Equal(due) {
		delete(q.timers, key)
	}
	q.mu.Unlock()
	q.Add(key)
}

// Stop forgets what was to be added later, and adds nothing later any more.
func (q *Queue) Stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	for key, t := range q.timers {
		t.Stop()
		delete(q.timers, key)
	}
}

func (q *Queue) signal() {
	q.ready.Up()
}

// Next waits for a key; false when ctx ends. Every key must be given back with Done.
func (q *Queue) Next(ctx context.Context) (string, bool) {
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

func (q *Queue) take() (key string, more, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return "", false, false
	}
	key, q.waiting = q.waiting[0], q.waiting[1:]
	q.state[key] = working
	return key, len(q.waiting) > 0, true
}

// Done gives a key back that Next has handed out.
func (q *Queue) Done(key string) {
	q.mu.Lock()
	again := q.state[key] == workingAgain
	delete(q.state, key)
	q.mu.Unlock()
	if again {
		q.Add(key)
	}
}
