package dispatcher_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

// fate is what becomes of a message.
type fate int

const (
	stored     fate = iota // and acknowledged
	unheard                // stored, but that is not told: the line breaks
	lost                   // not stored: the line breaks
	swallowed              // nothing is ever heard of it
	refused                // it does not even join the line
	fateNumber             // how many there are
	forbidden              // the stream will never take it; that is told when the next message finds the line broken
)

// script is an OrderedPublisher that keeps its promises, with fates as written; when they are used up
// all is stored.
type script struct {
	entered, release chan struct{} // unless nil, PublishAsync says so and waits, deaf to its context

	hang bool // PublishAsync waits for the end of its context

	mu     sync.Mutex
	fates  []fate
	broken error
	banned *outcome
	open   []*outcome
	stream []envelope.Message
}

type outcome struct {
	done     chan struct{}
	err      error
	sequence uint64
}

func (o *outcome) Done() <-chan struct{}  { return o.done }
func (o *outcome) Err() error             { return o.err }
func (o *outcome) StreamSequence() uint64 { return o.sequence }

func (o *outcome) resolve(err error) {
	o.err = err
	close(o.done)
}

func (s *script) PublishAsync(ctx context.Context, r ncl.PublishRequest) (ncl.PubFuture, error) {
	if s.entered != nil {
		close(s.entered)
		<-s.release
	}
	if s.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		if s.banned != nil {
			s.banned.resolve(envelope.ErrTooLarge)
			s.banned = nil
		}
		return nil, s.broken
	}
	next := stored
	if len(s.fates) > 0 {
		next, s.fates = s.fates[0], s.fates[1:]
	}
	if next == refused {
		return nil, errors.New("no place in the line")
	}
	o := &outcome{done: make(chan struct{})}
	if next == forbidden {
		s.banned, s.broken = o, fmt.Errorf("%w: %w", ncl.ErrBroken, envelope.ErrTooLarge)
		return o, nil
	}
	s.open = append(s.open, o)
	if next == stored || next == unheard {
		s.stream = append(s.stream, *r.Message)
	}
	switch {
	case next == swallowed: // and so nothing is heard of those after it
	case next == unheard || next == lost:
		s.failLocked(errors.New("lost"))
	case len(s.open) == 1:
		s.open = nil
		o.resolve(nil)
	}
	return o, ctx.Err()
}

// acknowledge tells of the n oldest after all.
func (s *script) acknowledge(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.open[:n] {
		o.resolve(nil)
	}
	s.open = s.open[n:]
}

func (s *script) failLocked(err error) {
	for _, o := range s.open {
		o.resolve(err)
	}
	s.open, s.broken = nil, fmt.Errorf("%w: %w", ncl.ErrBroken, err)
}

func (s *script) Reset(context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked(ncl.ErrReset)
	s.broken = nil
}

func (s *script) Close(context.Context) error { return nil }

// read takes all that was stored.
func (s *script) read() (r reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.stream {
		r.take(&m)
	}
	return r
}
