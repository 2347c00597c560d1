package run

import (
	"context"
	"slices"
	"sync"

	"oc-scheduler/store/run"
)

// lines has those stand in line who have something happen to the same run. Whoever has the turn does it for all that
// wait, in one commit: a run of many executions is told of them faster than its record can be written, and each for
// himself would read it, lose to another, and try again.
type lines struct {
	mu sync.Mutex
	of map[string]*line // by run, while somebody stands in it
}

// line is of one run.
type line struct {
	turn    chan struct{} // holds a token while somebody has the turn
	people  int
	waiting []*wish
	last    *turn // as the last turn has left the run; nil: it has to be read. It belongs to who has the turn
}

// wish is what somebody has happen.
type wish struct {
	what  []run.Event
	fired uint64     // of the message of the timer that has this happen; 0: there is none
	done  chan error // takes one
}

func newLines() *lines { return &lines{of: map[string]*line{}} }

// join has a wish wait in the line of a run. Whoever joins leaves.
func (s *lines) join(id string, w *wish) *line {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.of[id]
	if l == nil {
		l = &line{turn: make(chan struct{}, 1)}
		s.of[id] = l
	}
	l.people++
	l.waiting = append(l.waiting, w)
	return l
}

// leave withdraws a wish that nobody has taken.
func (s *lines) leave(id string, l *line, w *wish) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(other *wish) bool { return other == w })
	if l.people--; l.people == 0 {
		delete(s.of, id)
	}
}

// take takes all wishes that wait.
func (s *lines) take(l *line) []*wish {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := l.waiting
	l.waiting = nil
	return all
}

// putBack has wishes wait for the next turn.
func (s *lines) putBack(l *line, some []*wish) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.waiting = append(some, l.waiting...)
}

// serve waits until a wish was served with others, or serves it and all that wait: with serve, while nobody else does.
// served says which it was. When ctx ends others are served by who comes next.
func (s *lines) serve(ctx context.Context, id string, w *wish, serve func(*line, []*wish) error) (served bool, err error) {
	l := s.join(id, w)
	defer s.leave(id, l, w)
	select {
	case err := <-w.done:
		return false, err
	case <-ctx.Done():
		return false, ctx.Err()
	case l.turn <- struct{}{}:
	}
	defer func() { <-l.turn }()
	select {
	case err := <-w.done: // meanwhile
		return false, err
	default:
	}
	all := s.take(l)
	if err = serve(l, all); err != nil && ctx.Err() != nil {
		s.putBack(l, slices.DeleteFunc(all, func(other *wish) bool { return other == w }))
		return true, err
	}
	for _, other := range all {
		other.done <- err
	}
	return true, err
}
