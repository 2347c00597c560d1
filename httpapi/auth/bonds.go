package auth

import (
	"sync"
	"time"

	"oc-scheduler/store/access"
)

// bonds are what ends with the rights of subjects. The streams of one subject share a timer.
type bonds struct {
	stands func(*access.Subject) bool

	mu sync.Mutex
	of map[string]*bond // by the subject's ID
}

// bond is what ends with the right of one subject.
type bond struct {
	ties  map[*tie]struct{}
	timer *time.Timer // fires at the subject's end; nil: it has none
}

// tie is one thing that ends.
type tie struct {
	subject *access.Subject
	end     func()
}

func (b *bonds) bind(s *access.Subject, end func()) (release func()) {
	t := &tie{s, end}
	b.mu.Lock()
	if b.of == nil {
		b.of = map[string]*bond{}
	}
	of := b.of[s.ID]
	if of == nil {
		of = &bond{ties: map[*tie]struct{}{}}
		b.of[s.ID] = of
		if !s.End.IsZero() {
			of.timer = time.AfterFunc(time.Until(s.End), func() { b.review(s.ID) })
		}
	}
	of.ties[t] = struct{}{}
	b.mu.Unlock()
	if !b.stands(s) { // it ended while it was bound
		b.review(s.ID)
	}
	return func() { b.release(t) }
}

func (b *bonds) release(t *tie) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.of[t.subject.ID]
	if of == nil {
		return
	}
	if delete(of.ties, t); len(of.ties) > 0 {
		return
	}
	delete(b.of, t.subject.ID)
	if of.timer != nil {
		of.timer.Stop()
	}
}

// review ends what a subject's right no longer bears. What is ended stays bound until it is released.
func (b *bonds) review(subjectID string) {
	for _, t := range b.tiesOf(subjectID) {
		if !b.stands(t.subject) {
			t.end()
		}
	}
}

// tiesOf are the ties of a subject. A timer that has fired before its time, by a clock that was set, fires again.
func (b *bonds) tiesOf(subjectID string) []*tie {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.of[subjectID]
	if of == nil {
		return nil
	}
	ties := make([]*tie, 0, len(of.ties))
	for t := range of.ties {
		ties = append(ties, t)
		if left := time.Until(t.subject.End); of.timer != nil && left > 0 {
			of.timer.Reset(left)
		}
	}
	return ties
}
