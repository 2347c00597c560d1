package watcher

import "sync"

// signal wakes all who wait for it, once each.
type signal struct {
	mu     sync.Mutex
	next   chan struct{} // nil: nobody waits
	closed bool
}

var over = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// wait returns a channel that the next fire closes.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return over
	case s.next == nil:
		s.next = make(chan struct{})
	}
	return s.next
}

func (s *signal) fire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fireLocked()
}

func (s *signal) fireLocked() {
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}

// close fires for the last time: nobody waits from now on.
func (s *signal) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.fireLocked()
}
